package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.BackendUnavailableException;
import dev.tenon.tx.BranchState;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.spi.Begun;
import dev.tenon.tx.spi.LocalTransactionStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What every {@link LocalTransactionStore} must do beyond a {@link TransactionStoreContract}: what is begun or decided
 * within a local transaction is so if that commits, together with the rows of the business, and never happened if it
 * does not. A backend's test extends it and supplies the store and connections.
 */
public abstract class LocalTransactionStoreContract extends TransactionStoreScenario {
    private static final int COMMITTED = Connection.TRANSACTION_READ_COMMITTED;
    private static final int REPEATABLE = Connection.TRANSACTION_REPEATABLE_READ;
    private static final Duration A_WHILE = Duration.ofMillis(100);

    @Override
    protected abstract LocalTransactionStore store();

    /** A connection of the application's own, to the same database. */
    protected abstract Connection connect() throws SQLException;

    @BeforeEach
    void makeBusinessTable() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS contract_business (id VARCHAR(200))");
        }
    }

    private Connection transaction(int isolation) throws SQLException {
        Connection connection = connect();
        connection.setTransactionIsolation(isolation);
        connection.setAutoCommit(false);
        return connection;
    }

    private void doBusiness(Connection connection) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO contract_business VALUES (?)")) {
            insert.setString(1, service);
            insert.executeUpdate();
        }
    }

    private int businessDone() throws SQLException {
        try (Connection connection = connect();
                PreparedStatement count =
                        connection.prepareStatement("SELECT COUNT(*) FROM contract_business WHERE id = ?")) {
            count.setString(1, service);
            try (ResultSet row = count.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    private Begun begin(Connection connection, TransactionDraft draft) {
        return store().begin(connection, draft, Optional.empty(), Duration.ZERO);
    }

    @ParameterizedTest
    @ValueSource(ints = {COMMITTED, REPEATABLE})
    void aTransactionBeginsWithTheCommitOfTheLocalOne(int isolation) throws SQLException {
        TransactionRecord begun;
        try (Connection connection = transaction(isolation)) {
            doBusiness(connection);
            begun = created(store().begin(connection, fullDraft("a"), Optional.of("alice"), LEASE));
            doBusiness(connection);
            assertThat(store().find(connection, gid("a"))).contains(begun);
            assertThat(otherStore().find(gid("a"))).isEmpty();
            connection.commit();
        }
        assertThat(found("a")).isEqualTo(begun);
        assertThat(begun.branches()).isEqualTo(fullDraft("a").branches());
        assertThat(begun.progress().dueAt()).isEqualTo(begun.createdAt().plus(LEASE));
        assertThat(businessDone()).isEqualTo(2);
    }

    @Test
    void aTransactionNeverBeganIfTheLocalOneIsRolledBack() throws SQLException {
        try (Connection connection = transaction(COMMITTED)) {
            doBusiness(connection);
            created(begin(connection, draft("a")));
            connection.rollback();
            assertThat(store().find(connection, gid("a"))).isEmpty();
        }
        try (Connection connection = transaction(COMMITTED)) {
            created(begin(connection, draft("a")));
        } // closed without a commit
        assertThat(store().find(gid("a"))).isEmpty();
        assertThat(claim(store(), "alice", LEASE, 10)).isEmpty();
        assertThat(businessDone()).isZero();
        created(store().begin(draft("a", List.of(branch("another"))), Optional.empty(), LEASE));
    }

    @Test
    void oneThatHasBegunBeforeIsKnownAndTheLocalTransactionGoesOn() throws SQLException {
        TransactionRecord known = begin("a");
        try (Connection connection = transaction(COMMITTED)) {
            created(begin(connection, draft("b")));
            assertThat(begin(connection, draft("b"))).isInstanceOf(Begun.Known.class);
            assertThat(begin(connection, draft("a"))).isEqualTo(new Begun.Known(known));
            assertThat(begin(connection, draft("a", List.of(branch("another")))))
                    .isEqualTo(new Begun.Conflicting(known));
            doBusiness(connection);
            connection.commit();
        }
        assertThat(businessDone()).isEqualTo(1);
        assertThat(found("b").branches()).isEqualTo(draft("b").branches());
        assertThat(found("a")).isEqualTo(known);
    }

    @ParameterizedTest
    @ValueSource(ints = {COMMITTED, REPEATABLE})
    void aDecisionRidesOnTheCommit(int isolation) throws SQLException {
        TransactionRecord tx = begin("a");
        for (boolean commits : new boolean[] {false, true}) {
            try (Connection connection = transaction(isolation)) {
                doBusiness(connection);
                TransactionRecord decided = store().update(
                                connection,
                                tx,
                                tx.in(TransactionState.COMMITTING).change("pay", b -> b.in(BranchState.DONE)),
                                List.of(event("decided")))
                        .orElseThrow();
                assertThat(decided.state()).isEqualTo(TransactionState.COMMITTING);
                assertThat(store().find(connection, gid("a"))).contains(decided);
                assertThat(found("a")).isEqualTo(tx);
                if (commits) {
                    connection.commit();
                    assertThat(found("a")).isEqualTo(decided);
                } else {
                    connection.rollback();
                    assertThat(found("a")).isEqualTo(tx);
                }
            }
        }
        assertThat(businessDone()).isEqualTo(1);
        assertThat(store().history(gid("a"))).containsExactly(event("decided"));
    }

    @ParameterizedTest
    @ValueSource(ints = {COMMITTED, REPEATABLE})
    void aLocalTransactionThatIsOpenHoldsUpNoOtherTransaction(int isolation) throws SQLException {
        TransactionRecord tx = begin("a");
        TransactionRecord next = begin("b");
        try (Connection connection = transaction(isolation)) {
            assertThat(store().update(connection, tx, tx.in(TransactionState.COMMITTING), List.of()))
                    .isPresent();
            assertThat(updated(next, next.in(TransactionState.COMMITTING)).state())
                    .isEqualTo(TransactionState.COMMITTING);
            connection.commit();
        }
        assertThat(found("a").state()).isEqualTo(TransactionState.COMMITTING);
    }

    @Test
    void anEndRidesOnTheCommitToo() throws SQLException {
        TransactionRecord tx = begin("a");
        try (Connection connection = transaction(COMMITTED)) {
            TransactionRecord ended = store().update(connection, tx, tx.in(TransactionState.COMMITTED), List.of())
                    .orElseThrow();
            assertThat(ended.progress().endedAt().orElseThrow()).isAfterOrEqualTo(tx.createdAt());
            connection.commit();
            assertThat(found("a")).isEqualTo(ended);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {COMMITTED, REPEATABLE})
    void afterAnAbortNoCommitDecides(int isolation) throws SQLException {
        TransactionRecord tx = begin("a");
        TransactionRecord aborted = updated(tx, tx.in(TransactionState.ABORTING));
        try (Connection connection = transaction(isolation)) {
            doBusiness(connection);
            assertThat(store().update(connection, tx, tx.in(TransactionState.COMMITTING), List.of(event("late"))))
                    .isEmpty();
            connection.rollback();
        }
        assertThat(found("a")).isEqualTo(aborted);
        assertThat(store().history(gid("a"))).isEmpty();
        assertThat(businessDone()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anAbortWaitsForTheLocalTransactionThatDecides(boolean commits) throws Exception {
        TransactionRecord tx = begin("a");
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (Connection connection = transaction(COMMITTED)) {
            assertThat(store().update(connection, tx, tx.in(TransactionState.COMMITTING), List.of()))
                    .isPresent();
            Future<Optional<TransactionRecord>> abort =
                    thread.submit(() -> otherStore().update(tx, tx.in(TransactionState.ABORTING), List.of()));
            assertThatThrownBy(() -> abort.get(A_WHILE.toMillis(), TimeUnit.MILLISECONDS))
                    .isInstanceOf(TimeoutException.class);
            if (commits) {
                connection.commit();
            } else {
                connection.rollback();
            }
            assertThat(abort.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).isPresent())
                    .isEqualTo(!commits);
        } finally {
            thread.shutdownNow();
        }
        assertThat(found("a").state()).isEqualTo(commits ? TransactionState.COMMITTING : TransactionState.ABORTING);
    }

    @ParameterizedTest
    @ValueSource(ints = {COMMITTED, REPEATABLE})
    void ofCommitsAndDeadlinesAtOnceOneDecides(int isolation) throws SQLException {
        for (int round = 0; round < 5; round++) {
            String suffix = "-" + round;
            TransactionRecord tx = begin(suffix);
            List<Optional<TransactionState>> wins = Concurrently.on(4, i -> {
                TransactionState wanted = i % 2 == 0 ? TransactionState.COMMITTING : TransactionState.ABORTING;
                return i == 3
                        ? otherStore().update(tx, tx.in(wanted), List.of()).map(TransactionRecord::state)
                        : decide(isolation, tx, wanted);
            });
            assertThat(wins)
                    .filteredOn(Optional::isPresent)
                    .containsExactly(Optional.of(found(suffix).state()));
        }
        assertThat(businessDone()).isLessThanOrEqualTo(5);
    }

    /** Decides in a local transaction; empty if somebody else was faster. */
    private Optional<TransactionState> decide(int isolation, TransactionRecord tx, TransactionState wanted)
            throws SQLException {
        try (Connection connection = transaction(isolation)) {
            try {
                doBusiness(connection);
                Optional<TransactionRecord> decided = store().update(connection, tx, tx.in(wanted), List.of());
                if (decided.isPresent()) {
                    connection.commit();
                } else {
                    connection.rollback();
                }
                return decided.map(TransactionRecord::state);
            } catch (BackendUnavailableException e) {
                connection.rollback(); // the database has seen for itself that somebody was faster
                return Optional.empty();
            }
        }
    }

    @Test
    void aClaimDoesNotWaitForALocalTransaction() throws SQLException {
        TransactionRecord tx = begin("a");
        begin("b");
        try (Connection connection = transaction(COMMITTED)) {
            created(begin(connection, draft("c")));
            assertThat(store().update(connection, tx, tx.in(TransactionState.COMMITTING), List.of()))
                    .isPresent();
            assertThat(suffixes(claim(otherStore(), "bob", LEASE, 10))).containsExactly("b");
            connection.commit();
        }
        assertThat(suffixes(claim(otherStore(), "bob", LEASE, 10))).containsExactlyInAnyOrder("a", "c");
    }

    @Test
    void aWriteThatIsRefusedLeavesTheLocalTransactionAsItWas() throws SQLException {
        TransactionRecord tx = begin("a");
        TransactionRecord committed = updated(tx, tx.in(TransactionState.COMMITTING));
        try (Connection connection = transaction(COMMITTED)) {
            doBusiness(connection);
            assertThatThrownBy(() -> store().update(
                                    connection,
                                    committed,
                                    committed.in(TransactionState.ABORTING),
                                    List.of(event("flip"))))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> store().begin(connection, draft("b"), Optional.empty(), Duration.ofMillis(-1)))
                    .isInstanceOf(IllegalArgumentException.class);
            connection.commit();
        }
        assertThat(businessDone()).isEqualTo(1);
        assertThat(found("a")).isEqualTo(committed);
    }

    @Test
    void aConnectionWithoutATransactionIsRefused() throws SQLException {
        TransactionRecord tx = begin("a");
        try (Connection connection = connect()) {
            assertThatThrownBy(() -> begin(connection, draft("b")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("setAutoCommit(false)");
            assertThatThrownBy(() -> store().update(connection, tx, tx.in(TransactionState.COMMITTING), List.of()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("setAutoCommit(false)");
            assertThatThrownBy(() -> store().find(connection, gid("a")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("setAutoCommit(false)");
        }
        assertThat(store().find(gid("b"))).isEmpty();
        assertThat(found("a")).isEqualTo(tx);
    }
}
