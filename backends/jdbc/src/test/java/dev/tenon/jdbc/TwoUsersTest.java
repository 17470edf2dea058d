package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.lock.Lease;
import dev.tenon.lock.LockOptions;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.SqlAddress;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Processes that are different users of the database, and may not end each other's statements: nobody can be woken. */
class TwoUsersTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    static Stream<Named<Supplier<SqlAddress>>> databases() {
        return Stream.of(Named.of("MariaDB", MariaDbServer::shared), Named.of("MySQL", MySqlServer::shared));
    }

    @ParameterizedTest
    @MethodSource("databases")
    void waitersOfAnotherUserAskAgainAndItIsSaidOnce(Supplier<SqlAddress> database) throws Exception {
        SqlAddress all = database.get();
        List<String> warnings = new CopyOnWriteArrayList<>();
        Logger logger = Logger.getLogger(LockCalls.class.getName());
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord entry) {
                warnings.add(entry.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.addHandler(handler);
        LockOptions brief = LockOptions.DEFAULT.withLease(Duration.ofSeconds(3));
        try (JdbcBackend one = TwoBackends.connect(user(all));
                JdbcBackend other = TwoBackends.connect(user(all))) {
            for (String name : List.of("a", "b")) {
                Lease held = one.locks().lock(name, brief).tryAcquire().orElseThrow();
                CompletableFuture<Lease> waits =
                        other.locks().lock(name, brief).acquireAsync(PATIENCE).toCompletableFuture();
                await().atMost(PATIENCE)
                        .until(() -> one.locks()
                                .inspect(name)
                                .map(view -> !view.queue().isEmpty())
                                .orElse(false));
                held.close();
                waits.join().close();
            }
            assertThat(warnings).singleElement().asString().contains("CONNECTION_ADMIN");
        } finally {
            logger.removeHandler(handler);
        }
    }

    private static SqlAddress user(SqlAddress all) throws SQLException {
        String name = "u" + UUID.randomUUID().toString().substring(0, 8);
        try (Connection connection = all.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE USER '" + name + "'@'127.0.0.1' IDENTIFIED BY 'secret'");
            statement.execute("GRANT ALL ON " + all.database() + ".* TO '" + name + "'@'127.0.0.1'");
        }
        return new SqlAddress(all.url(), name, "secret");
    }
}
