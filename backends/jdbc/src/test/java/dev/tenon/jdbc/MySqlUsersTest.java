package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.lock.DistributedLock;
import dev.tenon.lock.Lease;
import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.spi.LocalTransactionStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Users of MySQL who may do less than all, with and without the stored routines. */
class MySqlUsersTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String TABLES = "SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX";

    private final SqlAddress all = MySqlServer.shared();
    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private final Logger logger = Logger.getLogger(Shortcuts.class.getName());
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            if (entry.getLevel().intValue() >= Level.WARNING.intValue()) {
                warnings.add(entry.getMessage());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void hear() {
        logger.addHandler(handler);
    }

    @AfterEach
    void hearNoMore() {
        logger.removeHandler(handler);
    }

    private SqlAddress user(String rights) throws SQLException {
        String name = "u" + UUID.randomUUID().toString().substring(0, 8);
        try (Connection connection = all.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE USER '" + name + "'@'127.0.0.1' IDENTIFIED BY 'secret'");
            statement.execute("GRANT " + rights + " ON " + all.database() + ".* TO '" + name + "'@'127.0.0.1'");
        }
        return new SqlAddress(all.url(), name, "secret");
    }

    private static long exchangesOfOneLock(SqlAddress at) {
        try (FaultProxy line = FaultProxy.to(at.socket());
                JdbcBackend backend = TwoBackends.connect(at.at(line.address()))) {
            DistributedLock lock = backend.locks().lock("n");
            lock.tryAcquire().orElseThrow().close();
            long before = line.exchanges();
            lock.tryAcquire().orElseThrow().close();
            return line.exchanges() - before;
        }
    }

    @Test
    void whoMayMakeNoRoutinesDoesWithoutThemAndSaysSoOnce() throws Exception {
        SqlAddress at = user(TABLES);
        assertThat(exchangesOfOneLock(at)).isEqualTo(4);
        assertThat(warnings).hasSize(1).allMatch(each -> each.contains("GRANT CREATE ROUTINE, EXECUTE"));
        try (JdbcBackend one = TwoBackends.connect(at);
                JdbcBackend other = TwoBackends.connect(at)) {
            Lease held = one.locks().lock("n").tryAcquire().orElseThrow();
            CompletableFuture<Lease> waits =
                    other.locks().lock("n").acquireAsync(PATIENCE).toCompletableFuture();
            await().atMost(PATIENCE)
                    .until(() -> one.locks()
                            .inspect("n")
                            .map(view -> !view.queue().isEmpty())
                            .orElse(false));
            held.close();
            waits.join().close();
            assertThat(one.ranges().next("r", 5).last()).isEqualTo(5);
            assertThat(other.ranges().next("r", 5).last()).isEqualTo(10);
            begin(one.transactions(), all);
        }
        assertThat(warnings).as("once a backend").hasSize(3);
    }

    @Test
    void whoMayOnlyCallThemHasThemAll() throws Exception {
        exchangesOfOneLock(all); // makes the tables and the routines
        SqlAddress at = user("SELECT, INSERT, UPDATE, DELETE, EXECUTE");
        assertThat(exchangesOfOneLock(at)).isEqualTo(2);
        assertThat(warnings).isEmpty();
    }

    @Test
    void whoMayMakeAndCallThemMakesThem() throws Exception {
        assertThat(exchangesOfOneLock(user(TABLES + ", CREATE ROUTINE, EXECUTE")))
                .isEqualTo(2);
        assertThat(warnings).isEmpty();
    }

    /** The backend's own user may call what the user of the application's connection may not. */
    @Test
    void anApplicationsConnectionMayBeOfAUserWhoMayCallNone() throws Exception {
        try (JdbcBackend backend = TwoBackends.connect(all)) {
            LocalTransactionStore store = backend.transactions();
            begin(store, user("SELECT, INSERT, UPDATE, DELETE"));
        }
        assertThat(warnings).isEmpty();
    }

    private static void begin(LocalTransactionStore store, SqlAddress at) throws SQLException {
        TransactionDraft draft = new TransactionDraft(
                new TransactionId(UUID.randomUUID().toString()),
                TransactionKind.SAGA,
                "service",
                "",
                "",
                Optional.empty(),
                TransactionState.ACTIVE,
                PATIENCE,
                RetryPolicy.FOR_EVER,
                List.of(BranchRecord.planned("one", Map.of(), "")));
        try (Connection connection = at.connect()) {
            connection.setAutoCommit(false);
            store.begin(connection, draft, Optional.empty(), PATIENCE);
            assertThat(store.find(draft.gid())).as("not before the commit").isEmpty();
            connection.commit();
        }
        assertThat(store.find(draft.gid()).orElseThrow().branches()).hasSize(1);
    }
}
