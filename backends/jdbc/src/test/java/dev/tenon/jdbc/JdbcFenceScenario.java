package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.tenon.BackendUnavailableException;
import dev.tenon.TenonException;
import dev.tenon.lock.StaleTokenException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/**
 * Tokens checked inside transactions of the caller's, on one database for all of its tests, which use names of their
 * own.
 */
@TestInstance(Lifecycle.PER_CLASS)
abstract class JdbcFenceScenario {
    private static final int OLD = 33;
    private static final int NEW = 34;

    private String shelf = "";
    private JdbcBackend backend;
    private JdbcFence fence;

    /** A backend on the database, as one process has it. */
    abstract JdbcBackend open();

    /** A connection of the application's own. */
    abstract Connection connect() throws SQLException;

    /** A connection of another database, which has no tables. */
    abstract Connection connectElsewhere() throws SQLException;

    /** Makes a session wait for locks for a tenth of a second, or the least that there is. */
    abstract String shortLockWait();

    @BeforeEach
    void begin() throws SQLException {
        shelf = "shelf:" + UUID.randomUUID();
        backend = open();
        fence = backend.fence();
        try (Connection connection = connect()) {
            execute(connection, "CREATE TABLE IF NOT EXISTS shelf (id INT PRIMARY KEY, stock BIGINT, token BIGINT)");
            execute(connection, "DELETE FROM shelf");
            execute(connection, "INSERT INTO shelf VALUES (1, 0, 0)");
        }
    }

    @AfterEach
    void end() {
        backend.close();
    }

    private Connection transaction() throws SQLException {
        Connection connection = connect();
        connection.setAutoCommit(false);
        return connection;
    }

    private static int execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            return statement.getUpdateCount();
        }
    }

    private static long stock(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT stock FROM shelf WHERE id = 1")) {
            row.next();
            return row.getLong(1);
        }
    }

    private void commit(long token) throws SQLException {
        try (Connection connection = transaction()) {
            fence.check(connection, shelf, token);
            connection.commit();
        }
    }

    @Test
    void anOldTokenIsRefusedForEver() throws SQLException {
        commit(NEW);
        try (Connection connection = transaction()) {
            for (int i = 0; i < 2; i++) {
                StaleTokenException stale =
                        catchThrowableOfType(StaleTokenException.class, () -> fence.check(connection, shelf, OLD));
                assertThat(stale.resource()).isEqualTo(shelf);
                assertThat(stale.token()).isEqualTo(OLD);
                assertThat(stale.greatest()).isEqualTo(NEW);
                connection.rollback();
            }
        }
        try (JdbcBackend other = open();
                Connection connection = transaction()) {
            assertThatThrownBy(() -> other.fence().check(connection, shelf, OLD))
                    .isInstanceOf(StaleTokenException.class);
            connection.commit(); // a refusal, even committed, lowers nothing
            other.fence().check(connection, shelf, NEW);
            connection.rollback();
        }
    }

    @Test
    void oneHolderWritesMoreThanOnce() throws SQLException {
        try (Connection connection = transaction()) {
            fence.check(connection, shelf, NEW);
            fence.check(connection, shelf, NEW);
            connection.commit();
            fence.check(connection, shelf, NEW);
            fence.check(connection, shelf, NEW + 1);
            connection.commit();
            assertThatThrownBy(() -> fence.check(connection, shelf, NEW)).isInstanceOf(StaleTokenException.class);
            connection.rollback();
        }
    }

    @Test
    void resourcesKnowNothingOfEachOther() throws SQLException {
        commit(NEW);
        try (Connection connection = transaction()) {
            for (String other : List.of(shelf + " ", shelf.toUpperCase(Locale.ROOT), shelf + "é", shelf + "e")) {
                fence.check(connection, other, 1);
            }
            fence.check(connection, "greatest:" + shelf, Long.MAX_VALUE);
            connection.commit();
            assertThatThrownBy(() -> fence.check(connection, "greatest:" + shelf, Long.MAX_VALUE - 1))
                    .isInstanceOf(StaleTokenException.class);
            connection.rollback();
        }
    }

    @Test
    void whatIsRolledBackWasNeverShown() throws SQLException {
        commit(OLD - 1);
        try (Connection connection = transaction()) {
            fence.check(connection, shelf, NEW);
            connection.rollback();
            fence.check(connection, shelf, OLD);
            Savepoint savepoint = connection.setSavepoint();
            fence.check(connection, shelf, NEW);
            connection.rollback(savepoint);
            fence.check(connection, shelf, OLD);
            connection.commit();
            fence.check(connection, shelf + ":fresh", NEW);
            connection.rollback();
            fence.check(connection, shelf + ":fresh", OLD);
            connection.rollback();
        }
    }

    @Test
    void theNewHolderWaitsForTheOldOnesCommitAndWritesAfterIt() throws Exception {
        commit(OLD - 1);
        try (Connection old = transaction()) {
            fence.check(old, shelf, OLD);
            CompletableFuture<Long> second = onItsOwn(NEW);
            execute(old, "UPDATE shelf SET stock = 10 WHERE id = 1");
            old.commit();
            assertThat(second.get(60, TimeUnit.SECONDS))
                    .as("what the second has read")
                    .isEqualTo(10);
            assertThatThrownBy(() -> fence.check(old, shelf, OLD)).isInstanceOf(StaleTokenException.class);
            old.rollback();
        }
    }

    @Test
    void theOldHolderThatWaitedForTheNewOneIsRefused() throws Exception {
        commit(OLD - 1);
        try (Connection second = transaction()) {
            fence.check(second, shelf, NEW);
            CompletableFuture<Long> old = onItsOwn(OLD);
            second.commit();
            assertThat(old)
                    .failsWithin(60, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .havingRootCause()
                    .isInstanceOf(StaleTokenException.class);
        }
    }

    @Test
    void aSnapshotFromBeforeDoesNotLetTheOldOneIn() throws SQLException {
        commit(OLD - 1);
        try (Connection old = connect()) {
            old.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            old.setAutoCommit(false);
            stock(old); // the snapshot is of now
            try (Statement statement = old.createStatement()) {
                statement.executeQuery("SELECT * FROM tenon_fence_guard").close();
            }
            commit(NEW);
            assertThatThrownBy(() -> fence.check(old, shelf, OLD))
                    .isInstanceOfAny(StaleTokenException.class, BackendUnavailableException.class);
            old.rollback();
            assertThatThrownBy(() -> fence.check(old, shelf, OLD)).isInstanceOf(StaleTokenException.class);
            old.rollback();
        }
    }

    @Test
    void manyUseAResourceForTheFirstTimeAtOnce() throws Exception {
        int threads = 8;
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            for (int round = 0; round < 5; round++) {
                String fresh = shelf + ":" + round;
                CyclicBarrier start = new CyclicBarrier(threads);
                List<Future<Boolean>> running = new ArrayList<>();
                for (int i = 1; i <= threads; i++) {
                    int token = i;
                    running.add(executor.submit(() -> {
                        start.await(60, TimeUnit.SECONDS);
                        return passes(fresh, token);
                    }));
                }
                List<Boolean> passed = new ArrayList<>();
                for (Future<Boolean> each : running) {
                    passed.add(each.get(60, TimeUnit.SECONDS));
                }
                assertThat(passed.get(threads - 1)).as("the greatest").isTrue();
                assertThat(passes(fresh, threads - 1)).isFalse();
                assertThat(passes(fresh, threads)).isTrue();
            }
        } finally {
            executor.shutdownNow();
        }
    }

    /** As the exceptions say: again after contention, not after a stale token. */
    private boolean passes(String resource, long token) throws SQLException {
        try (Connection connection = transaction()) {
            for (; ; ) {
                try {
                    fence.check(connection, resource, token);
                    connection.commit();
                    return true;
                } catch (StaleTokenException e) {
                    connection.rollback();
                    return false;
                } catch (BackendUnavailableException e) {
                    assertThat(e).hasMessageContaining("roll back, and run this transaction again");
                    connection.rollback();
                }
            }
        }
    }

    @Test
    void whoChecksBeforeReadingLosesNoUpdateEvenIfAllHoldAtOnce() throws Exception {
        int threads = 4;
        AtomicLong tokens = new AtomicLong();
        commit(tokens.incrementAndGet());
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<Integer>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                running.add(executor.submit(() -> {
                    int written = 0;
                    try (Connection connection = transaction()) {
                        for (int n = 0; n < 50; n++) {
                            written += addOne(connection, tokens.incrementAndGet());
                        }
                    }
                    return written;
                }));
            }
            int written = 0;
            for (Future<Integer> each : running) {
                written += each.get(60, TimeUnit.SECONDS);
            }
            assertThat(written).isPositive();
            try (Connection connection = connect()) {
                assertThat(stock(connection)).isEqualTo(written);
            }
        } finally {
            executor.shutdownNow();
        }
    }

    /** How many it has added: none, if it was refused. */
    private int addOne(Connection connection, long token) throws SQLException {
        try {
            fence.check(connection, shelf, token);
            execute(connection, "UPDATE shelf SET stock = " + (stock(connection) + 1) + " WHERE id = 1");
            connection.commit();
            return 1;
        } catch (StaleTokenException | BackendUnavailableException e) {
            connection.rollback();
            return 0;
        }
    }

    @Test
    void whatWasWrittenBeforeTheCheckGoesWithTheRollback() throws SQLException {
        commit(NEW);
        try (Connection old = transaction()) {
            execute(old, "UPDATE shelf SET stock = 99 WHERE id = 1");
            assertThatThrownBy(() -> fence.check(old, shelf, OLD)).isInstanceOf(StaleTokenException.class);
            old.rollback();
            assertThat(stock(old)).isZero();
        }
    }

    @Test
    void aColumnOfTheRowItselfGuardsItToo() throws SQLException {
        try (Connection connection = connect()) {
            assertThat(guardedUpdate(connection, 10, NEW)).isEqualTo(1);
            assertThat(guardedUpdate(connection, 11, OLD)).isZero();
            assertThat(guardedUpdate(connection, 12, NEW)).isEqualTo(1);
            assertThat(stock(connection)).isEqualTo(12);
        }
    }

    private static int guardedUpdate(Connection connection, int stock, int token) throws SQLException {
        return execute(
                connection,
                "UPDATE shelf SET stock = " + stock + ", token = " + token + " WHERE id = 1 AND token <= " + token);
    }

    @Test
    void badArgumentsAreRefused() throws SQLException {
        try (Connection connection = connect()) {
            assertThatThrownBy(() -> fence.check(connection, shelf, NEW))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("setAutoCommit(false)");
            connection.setAutoCommit(false);
            assertThatThrownBy(() -> fence.check(connection, "", NEW)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> fence.check(connection, shelf, 0)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> fence.check(connection, shelf, -1)).isInstanceOf(IllegalArgumentException.class);
            fence.check(connection, shelf, 1);
            connection.rollback();
        }
    }

    @Test
    void aWaitThatTakesTooLongSaysSo() throws SQLException {
        commit(OLD - 1);
        try (Connection first = transaction();
                Connection second = transaction()) {
            fence.check(first, shelf, OLD);
            execute(second, shortLockWait());
            assertThatThrownBy(() -> fence.check(second, shelf, NEW))
                    .isInstanceOf(BackendUnavailableException.class)
                    .hasMessageContaining("Another transaction was in the way");
            second.rollback();
            first.rollback();
        }
    }

    @Test
    void anotherDatabaseAndABrokenConnectionAreToldOf() throws SQLException {
        try (Connection connection = connectElsewhere()) {
            connection.setAutoCommit(false);
            assertThatThrownBy(() -> fence.check(connection, shelf, NEW))
                    .isInstanceOf(TenonException.class)
                    .isNotInstanceOf(BackendUnavailableException.class)
                    .hasMessageContaining("is this connection of the backend's database?");
        }
        Connection closed = transaction();
        closed.close();
        assertThatThrownBy(() -> fence.check(closed, shelf, NEW))
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining("run it again from its start");
    }

    /** Another transaction on another thread, which reads the stock after its check. */
    private CompletableFuture<Long> onItsOwn(long token) {
        return CompletableFuture.supplyAsync(() -> {
            try (Connection connection = transaction()) {
                fence.check(connection, shelf, token);
                long stock = stock(connection);
                connection.commit();
                return stock;
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
    }
}
