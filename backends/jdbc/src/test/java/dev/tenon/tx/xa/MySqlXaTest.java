package dev.tenon.tx.xa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.tx.Message;
import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.message.MessageSink;
import dev.tenon.tx.message.Outbox;
import dev.tenon.tx.message.OutboxOptions;
import dev.tenon.tx.saga.Saga;
import dev.tenon.tx.saga.Sagas;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import javax.sql.XAConnection;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What only MySQL does: branches that belong to no connection, privileges, and its own errors; by both drivers. */
class MySqlXaTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final SqlAddress ADDRESS = MySqlServer.shared();
    private static final Map<String, Place> PLACES =
            Map.of("one", Place.mySql(ADDRESS).prepared(), "two", Place.mySqlByMariaDbDriver(ADDRESS, ADDRESS));

    private final TestLog log = new TestLog();
    private final Cluster cluster =
            new Cluster(log, PLACES, XaOptions.DEFAULT.withOrphanAfter(Duration.ofMillis(1)), Steps.NONE);

    /** Who speaks to it. */
    private enum Driver {
        CONNECTOR_J("one"),
        MARIADB("two");

        private final String name;

        Driver(String name) {
            this.name = name;
        }

        Place place() {
            return PLACES.get(name);
        }
    }

    @BeforeEach
    void empty() {
        PLACES.get("one").execute("DELETE FROM moves");
    }

    /** A test that has failed leaves nothing prepared for the next to wait for. */
    @AfterEach
    void close() {
        Awaitility.await().atMost(PATIENCE).until(() -> cluster.isAllEnded(PLACES));
        cluster.close();
    }

    @AfterAll
    static void closeAll() {
        PLACES.values().forEach(Place::close);
    }

    /** A branch in the hands of a test. */
    private final class Branch implements AutoCloseable {
        private final XaId id;
        private final XAConnection physical;
        private final Connection connection;

        Branch(Driver driver, String row, String... before) throws SQLException, XAException {
            id = new XaId(Cluster.SERVICE, cluster.transactions.newId(), driver.name);
            physical = driver.place().source().getXAConnection();
            connection = physical.getConnection();
            for (String sql : before) {
                run(connection, sql);
            }
            physical.getXAResource().start(id, XAResource.TMNOFLAGS);
            Place.move(connection, row);
            cluster.databases.pool(driver.name).mark(connection, id);
        }

        Branch ended() throws SQLException, XAException {
            physical.getXAResource().end(id, XAResource.TMSUCCESS);
            return this;
        }

        Branch prepared() throws SQLException, XAException {
            ended();
            assertThat(physical.getXAResource().prepare(id)).isEqualTo(XAResource.XA_OK);
            return this;
        }

        Reply settle(boolean commits) throws SQLException, XAException {
            return new XaParticipant(cluster.databases.pool(id.database())).settle(id, commits);
        }

        /** Ends its connection as an operator, or a failing network, would. */
        void kill(long number) throws SQLException {
            try (Connection operator = ADDRESS.connect()) {
                run(operator, "KILL " + number);
                Awaitility.await()
                        .atMost(PATIENCE)
                        .until(() -> number(
                                        operator,
                                        "SELECT COUNT(*) FROM information_schema.processlist WHERE id = " + number)
                                == 0);
            }
        }

        @Override
        public void close() throws SQLException {
            physical.close();
        }
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static long number(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    @Test
    void theServerWritesABinaryLog() throws Exception {
        try (Connection connection = ADDRESS.connect()) {
            assertThat(number(connection, "SELECT @@log_bin")).isEqualTo(1);
            assertThat(number(connection, "SELECT @@xa_detach_on_prepare")).isEqualTo(1);
        }
    }

    /** MariaDB says that there is no such branch until that connection is closed. */
    @ParameterizedTest
    @EnumSource
    void aPreparedBranchIsEndedThoughItsConnectionIsOpen(Driver driver) throws Exception {
        for (boolean commits : List.of(true, false)) {
            try (Branch branch = new Branch(driver, "row-" + commits).prepared()) {
                assertThat(branch.settle(commits)).isEqualTo(Reply.done());
                assertThat(driver.place().has("row-" + commits)).isEqualTo(commits);
                assertThat(branch.settle(commits)).as("again").isEqualTo(Reply.done());
                assertThatThrownBy(() -> branch.physical.getXAResource().commit(branch.id, false))
                        .isInstanceOfSatisfying(
                                XAException.class, e -> assertThat(e.errorCode).isEqualTo(XAException.XAER_NOTA));
                // Its connection is free: the next branch may begin there.
                XaId next = new XaId(Cluster.SERVICE, cluster.transactions.newId(), driver.name);
                branch.physical.getXAResource().start(next, XAResource.TMNOFLAGS);
                branch.physical.getXAResource().end(next, XAResource.TMSUCCESS);
                branch.physical.getXAResource().rollback(next);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void whereBranchesAreNotDetachedItIsWaitedForTheConnection(Driver driver) throws Exception {
        for (boolean commits : List.of(true, false)) {
            Branch branch = new Branch(driver, "held-" + commits, "SET SESSION xa_detach_on_prepare = OFF").prepared();
            assertThat(branch.settle(commits)).isInstanceOf(Reply.NotYet.class);
            branch.close();
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> branch.settle(commits).equals(Reply.done()));
            assertThat(driver.place().has("held-" + commits)).isEqualTo(commits);
        }
    }

    /** At which of its stages a branch has lost its connection. */
    private enum Stage {
        ACTIVE,
        ENDED,
        PREPARED
    }

    @ParameterizedTest
    @EnumSource
    void aKilledConnectionRollsBackWhatIsNotPrepared(Stage stage) throws Exception {
        for (boolean commits : List.of(true, false)) {
            String row = stage + "-" + commits;
            try (Branch branch = new Branch(Driver.CONNECTOR_J, row)) {
                long number = number(branch.connection, "SELECT CONNECTION_ID()");
                if (stage == Stage.ENDED) {
                    branch.ended();
                } else if (stage == Stage.PREPARED) {
                    branch.prepared();
                }
                branch.kill(number);
                assertThat(Cluster.prepared(PLACES.get("one"))).hasSize(stage == Stage.PREPARED ? 1 : 0);
                Reply reply = branch.settle(commits);
                if (commits && stage != Stage.PREPARED) {
                    assertThat(reply.toString())
                            .contains("heuristic rollback"); // nobody decides so before all are prepared
                } else {
                    assertThat(reply).isEqualTo(Reply.done());
                }
                assertThat(PLACES.get("one").has(row)).isEqualTo(commits && stage == Stage.PREPARED);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void twoBranchesOfOneNameAreRefused(Driver driver) throws Exception {
        try (Branch branch = new Branch(driver, "a").prepared()) {
            assertThatThrownBy(() -> XaBranch.start(branch.id, cluster.databases.pool(driver.name), false))
                    .hasMessageContaining("begins no branch")
                    .cause()
                    .isInstanceOfSatisfying(
                            XAException.class, e -> assertThat(e.errorCode).isEqualTo(XAException.XAER_DUPID));
            assertThat(cluster.databases.pool(driver.name).used()).isZero();
            assertThat(branch.settle(false)).isEqualTo(Reply.done());
        }
    }

    @ParameterizedTest
    @EnumSource
    void theVictimOfADeadlockIsRolledBack(Driver driver) throws Exception {
        Place place = driver.place();
        place.execute("INSERT INTO moves VALUES ('x', 0), ('y', 0)");
        try (Connection other = place.connector().connect();
                XaTransaction tx = cluster.xa.begin()) {
            other.setAutoCommit(false);
            // Who has changed less is the victim.
            run(other, "INSERT INTO moves VALUES ('1', 1), ('2', 1), ('3', 1), ('4', 1), ('5', 1)");
            run(other, "UPDATE moves SET amount = 1 WHERE id = 'x'");
            Connection mine = tx.connection(driver.name);
            run(mine, "UPDATE moves SET amount = 2 WHERE id = 'y'");
            CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> {
                try {
                    run(other, "UPDATE moves SET amount = 1 WHERE id = 'y'");
                } catch (SQLException e) {
                    throw new CompletionException(e);
                }
            });
            Awaitility.await().atMost(PATIENCE).until(() -> place.isWaitedFor("SET amount = 1"));
            assertThatThrownBy(() -> run(mine, "UPDATE moves SET amount = 2 WHERE id = 'x'"))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(e.getErrorCode()).isIn(1213, 1614));
            waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThatThrownBy(tx::commit).isInstanceOf(TransactionAbortedException.class);
            other.commit();
        }
        assertThat(place.count("amount = 2")).isZero();
        assertThat(cluster.databases.pool(driver.name).used()).isZero();
        try (XaTransaction tx = cluster.xa.begin()) {
            Place.move(tx.connection(driver.name), "next");
            assertThat(tx.commit()).isEqualTo(TransactionState.COMMITTED);
        }
    }

    /** As the page says; the branch goes on. */
    @ParameterizedTest
    @EnumSource
    void aTemporaryTableIsRefusedAndSoIsDdl(Driver driver) throws Exception {
        try (XaTransaction tx = cluster.xa.begin()) {
            Connection connection = tx.connection(driver.name);
            Place.move(connection, "a");
            assertThatThrownBy(() -> run(connection, "CREATE TEMPORARY TABLE basket (id INT)"))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(e.getErrorCode()).isEqualTo(4091));
            assertThatThrownBy(() -> run(connection, "CREATE TABLE basket (id INT)"))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(e.getErrorCode()).isEqualTo(1399));
            Place.move(tx.connection(driver == Driver.MARIADB ? "one" : "two"), "b");
            assertThat(tx.commit()).isEqualTo(TransactionState.COMMITTED);
        }
        assertThat(driver.place().count("1 = 1")).isEqualTo(2);
    }

    /** As in a transaction of a container's. */
    @ParameterizedTest
    @EnumSource
    void whatTenonWritesOnTheConnectionOfABranchIsCommittedWithIt(Driver driver) throws Exception {
        JdbcBackend backend = driver.place().backend();
        List<String> sent = new CopyOnWriteArrayList<>();
        NamedParticipants participants = new NamedParticipants();
        TransactionOptions options = TransactionOptions.DEFAULT.withService("within-" + driver);
        OutboxOptions named = OutboxOptions.DEFAULT.withName("within-" + driver);
        MessageSink sink = message -> {
            sent.add(message.text());
            return Reply.done();
        };
        try (Transactions transactions = TransactionEngine.over(backend.transactions(), participants, options);
                Outbox outbox = Outbox.over(backend.outbox(), sink, named)) {
            Sagas sagas = Sagas.over(transactions, participants)
                    .register(Saga.named("order", 1)
                            .step("ship", call -> Reply.done())
                            .build());
            for (boolean commits : List.of(false, true)) {
                TransactionId order = new TransactionId("order-" + driver + "-" + commits);
                try (XaTransaction tx = cluster.xa.begin()) {
                    Connection connection = tx.connection(driver.name);
                    sagas.start(connection, "order", order, "");
                    outbox.enqueue(connection, Message.of("orders", "placed/" + order, "commits " + commits));
                    Place.move(tx.connection(driver == Driver.MARIADB ? "one" : "two"), "b");
                    if (commits) {
                        assertThat(tx.commit()).isEqualTo(TransactionState.COMMITTED);
                    }
                }
                assertThat(transactions.find(order).isPresent()).isEqualTo(commits);
            }
            Awaitility.await().atMost(PATIENCE).until(() -> {
                outbox.runOnce();
                return !sent.isEmpty();
            });
            assertThat(sent).containsExactly("commits true");
        }
    }

    /**
     * Without the privilege nothing that is left prepared is ever found; the work itself needs no privilege, and so
     * would go on.
     */
    @ParameterizedTest
    @EnumSource
    void aUserWhoMayNotListBranchesIsToldOnceInTheLog(Driver driver) throws Exception {
        String user = "u" + UUID.randomUUID().toString().substring(0, 18);
        String account = "'" + user + "'@'127.0.0.1'";
        driver.place().execute("CREATE USER " + account + " IDENTIFIED BY 'secret'");
        driver.place().execute("GRANT ALL ON `" + ADDRESS.database() + "`.* TO " + account);
        SqlAddress poor = new SqlAddress(ADDRESS.url(), user, "secret");
        Place place = driver == Driver.MARIADB ? Place.mySqlByMariaDbDriver(poor, poor) : Place.mySql(poor);
        XaOptions options = XaOptions.DEFAULT.withOrphanAfter(Duration.ofMillis(1));
        List<String> warnings = new CopyOnWriteArrayList<>();
        Handler handler = listener(warnings);
        Logger logger = Logger.getLogger(Xa.class.getName());
        logger.addHandler(handler);
        try (Cluster unable = new Cluster(log, Map.of(driver.name, place), options, Steps.NONE);
                Branch left = new Branch(driver, "left").prepared()) {
            unable.xa.runOnce();
            unable.xa.runOnce();
            assertThat(warnings).singleElement().asString().contains(driver.name, "XA_RECOVER_ADMIN");
            assertThatThrownBy(() -> new XaParticipant(unable.databases.pool(driver.name)).settle(left.id, true))
                    .hasMessageContaining("XA_RECOVER_ADMIN");

            driver.place().execute("GRANT XA_RECOVER_ADMIN ON *.* TO " + account);
            Awaitility.await().atMost(PATIENCE).until(() -> {
                unable.xa.runOnce();
                return Cluster.prepared(driver.place()).isEmpty();
            });
            assertThat(warnings).hasSize(1);
            assertThat(driver.place().has("left")).isFalse();
        } finally {
            logger.removeHandler(handler);
            place.close();
            driver.place().execute("DROP USER " + account);
        }
    }

    private static Handler listener(List<String> warnings) {
        return new Handler() {
            @Override
            public void publish(LogRecord line) {
                warnings.add(line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
    }
}
