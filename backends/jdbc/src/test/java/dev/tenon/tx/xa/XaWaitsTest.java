package dev.tenon.tx.xa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.BackendUnavailableException;
import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionState;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import javax.sql.XAConnection;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.xa.PGXADataSource;

/**
 * What waits for a row that somebody else has locked, where the database would let it wait for ever: "one" is MariaDB,
 * "two" is PostgreSQL, and so is the log, over a source whose driver has no limits; "three" is MySQL.
 */
class XaWaitsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final SqlAddress POSTGRES = PostgresServer.shared();
    private static final Map<String, Place> PLACES = Map.of(
            "one", Place.mariaDb(MariaDbServer.shared()).prepared(),
            "two", withoutLimits().prepared(),
            "three", Place.mySql(MySqlServer.shared()).prepared());
    private static final JdbcBackend LOG = JdbcBackend.over(source());

    private final XaOptions options = XaOptions.DEFAULT.withOrphanAfter(Duration.ofMillis(1));
    private final Cluster cluster = new Cluster(LOG.transactions(), PLACES, options, Steps.NONE);

    private static PGSimpleDataSource source() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(POSTGRES.url());
        source.setUser(POSTGRES.user());
        source.setPassword(POSTGRES.password());
        return source;
    }

    private static Place withoutLimits() {
        PGXADataSource source = new PGXADataSource();
        source.setUrl(POSTGRES.url());
        source.setUser(POSTGRES.user());
        source.setPassword(POSTGRES.password());
        return new Place(
                source, POSTGRES::connect, JdbcBackend.connect(POSTGRES.url(), POSTGRES.user(), POSTGRES.password()));
    }

    @BeforeEach
    void empty() {
        PLACES.values().forEach(place -> place.execute("DELETE FROM moves"));
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    @AfterAll
    static void closeAll() {
        LOG.close();
        PLACES.values().forEach(Place::close);
    }

    /**
     * What recovery has asked for while it was not prepared yet, and so not listed, waits for nobody but recovery then.
     */
    @Test
    void aBranchThatIsPreparedWhileRecoveryWaitsForItsEndIsEnded() throws Exception {
        for (String name : List.of("one", "two", "three")) {
            Place place = place(name);
            XaPool pool = cluster.databases.pool(name);
            XaId id = new XaId(Cluster.SERVICE, cluster.transactions.newId(), name);
            XAConnection slow = place.source().getXAConnection();
            try (Connection connection = slow.getConnection()) {
                slow.getXAResource().start(id, XAResource.TMNOFLAGS);
                Place.move(connection, "slow");
                pool.mark(connection, id);
                CompletableFuture<Reply> recovery = CompletableFuture.supplyAsync(() -> rolledBack(pool, id));
                Awaitility.await().atMost(PATIENCE).until(() -> place.isWaitedFor("tenon_barrier"));
                slow.getXAResource().end(id, XAResource.TMSUCCESS);
                slow.getXAResource().prepare(id);
                assertThatThrownBy(() -> recovery.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .as(name)
                        .hasRootCauseInstanceOf(SQLException.class);
            } finally {
                slow.close();
            }
            Awaitility.await().atMost(PATIENCE).until(() -> rolledBack(pool, id).equals(Reply.done()));
            assertThat(place.has("slow")).isFalse();
            assertThat(Cluster.prepared(place)).isEmpty();
        }
    }

    private static Place place(String name) {
        Place place = PLACES.get(name);
        assertThat(place).isNotNull();
        return place;
    }

    private static Reply rolledBack(XaPool pool, XaId id) {
        try {
            return new XaParticipant(pool).settle(id, false);
        } catch (SQLException | XAException e) {
            throw new CompletionException(e);
        }
    }

    /** A last resource whose process stands still between its decision and its commit. */
    @Test
    void aDecisionThatIsNotCommittedHoldsUpNoBranchOfOthers() throws Exception {
        TransactionId undecided = cluster.transactions.newId();
        TransactionId other = cluster.transactions.newId();
        prepareAndLeave(undecided, "undecided");
        prepareAndLeave(other, "other");
        try (Connection last = source().getConnection()) {
            last.setAutoCommit(false);
            XaDecisions decisions = new XaDecisions(cluster.transactions, cluster.databases, options);
            XaOrphans orphans = new XaOrphans(cluster.transactions, decisions, cluster.databases, options);
            cluster.transactions.open(last, decisions.commitDraft(undecided, List.of("two")));
            orphans.hint(undecided);
            orphans.hint(other);

            CompletableFuture<Integer> pass = CompletableFuture.supplyAsync(orphans::runOnce);

            assertThatThrownBy(() -> pass.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .hasCauseInstanceOf(BackendUnavailableException.class);
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> Cluster.prepared(place("two")).size() == 1);
            assertThat(cluster.transactions.find(other).orElseThrow().state())
                    .isIn(TransactionState.ABORTING, TransactionState.ABORTED);
            last.commit();
        }
        Awaitility.await().atMost(PATIENCE).until(() -> {
            cluster.transactions.hurry(undecided);
            return place("two").has("undecided");
        });
        assertThat(place("two").has("other")).isFalse();
    }

    private static void prepareAndLeave(TransactionId gid, String row) throws SQLException, XAException {
        XaId id = new XaId(Cluster.SERVICE, gid, "two");
        XAConnection dead = place("two").source().getXAConnection();
        try (Connection connection = dead.getConnection()) {
            dead.getXAResource().start(id, XAResource.TMNOFLAGS);
            Place.move(connection, row);
            dead.getXAResource().end(id, XAResource.TMSUCCESS);
            assertThat(dead.getXAResource().prepare(id)).isEqualTo(XAResource.XA_OK);
        } finally {
            dead.close();
        }
    }

    /**
     * MariaDB has a limit of its own for that (so has MySQL, of 50 s), and its driver closes nothing while a statement
     * is under way.
     */
    @ParameterizedTest
    @ValueSource(strings = {"two", "three"})
    void aStatementThatWaitsOnPostgreSqlOrMySqlIsEndedByTheDeadline(String name) throws Exception {
        place(name).execute("INSERT INTO moves VALUES ('held', 1)");
        XaOptions brief = options.withDeadline(Duration.ofSeconds(1));
        try (Cluster hurried = new Cluster(LOG.transactions(), PLACES, brief, Steps.NONE);
                Connection holder = place(name).connector().connect()) {
            holder.setAutoCommit(false);
            change(holder);
            XaTransaction tx = hurried.xa.begin();
            Place.move(tx.connection(name), "mine");
            CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> {
                try {
                    change(tx.connection(name));
                } catch (SQLException e) {
                    throw new CompletionException(e);
                }
            });
            Awaitility.await().atMost(PATIENCE).until(() -> place(name).isWaitedFor("moves"));
            Awaitility.await().atMost(PATIENCE).until(() -> {
                hurried.xa.runOnce();
                return waiting.isDone();
            });
            assertThatThrownBy(waiting::join).hasRootCauseInstanceOf(Exception.class);
            assertThatThrownBy(tx::commit).isInstanceOf(TransactionAbortedException.class);
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> hurried.databases.pool(name).used() == 0);
            holder.rollback();
        }
        assertThat(place(name).has("mine")).isFalse();
    }

    private static void change(Connection connection) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.executeUpdate("UPDATE moves SET amount = amount + 1 WHERE id = 'held'");
        }
    }

    @Test
    void theLastResourceIsRolledBackWhenTheDeadlineWasFirst() throws Exception {
        XaOptions brief = options.withDeadline(Duration.ofMillis(1));
        for (boolean commits : List.of(true, false)) {
            try (Cluster hurried = new Cluster(LOG.transactions(), PLACES, brief, Steps.NONE);
                    Connection last = source().getConnection()) {
                last.setAutoCommit(false);
                XaTransaction tx = hurried.xa.begin(last);
                Place.move(last, "last");
                Awaitility.await().atMost(PATIENCE).until(() -> {
                    hurried.xa.runOnce();
                    try {
                        tx.connection("one");
                        return false;
                    } catch (TransactionAbortedException e) {
                        return true;
                    }
                });
                if (commits) {
                    assertThatThrownBy(tx::commit).isInstanceOf(TransactionAbortedException.class);
                }
                tx.close();
                last.setAutoCommit(true); // commits what is open, as JDBC has it
            }
            assertThat(place("two").has("last")).isFalse();
        }
    }
}
