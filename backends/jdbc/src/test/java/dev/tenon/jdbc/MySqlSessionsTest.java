package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.TenonException;
import dev.tenon.lock.Lease;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.tx.Message;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a database or a session of MySQL may be set to, and what another server is told. */
class MySqlSessionsTest {
    /** Different names, which {@code utf8mb4_0900_ai_ci}, the default of this server, takes for the same. */
    private static final List<String> ALIKE = List.of("resume", "Resume", "résumé", "RÉSUMÉ", "ｒesume");

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static SqlAddress databaseOf(String charset) throws SQLException {
        SqlAddress at = MySqlServer.shared();
        try (Connection connection = at.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("ALTER DATABASE " + at.database() + " CHARACTER SET " + charset);
        }
        return at;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"utf8mb4 COLLATE utf8mb4_0900_ai_ci", "utf8mb4 COLLATE utf8mb4_general_ci", "latin1", "gbk"})
    void namesThatDifferOnlyInCaseOrAccentsAreDifferentNames(String charset) throws Exception {
        try (TwoBackends backends = TwoBackends.on(databaseOf(charset))) {
            List<Lease> held = new ArrayList<>();
            for (String name : ALIKE) {
                Optional<Lease> lease = backends.one().locks().lock(name).tryAcquire();
                assertThat(lease).as(name).isPresent();
                held.add(lease.get());
                assertThat(backends.other().locks().lock(name).tryAcquire())
                        .as(name)
                        .isEmpty();
                assertThat(backends.one().ranges().next(name, 3).last())
                        .as(name)
                        .isEqualTo(3);
                assertThat(backends.one().gapFree(name)).isNotNull();
            }
            assertThat(held.stream().map(Lease::token).collect(Collectors.toSet()))
                    .hasSize(ALIKE.size());
            for (Lease lease : held) {
                lease.close();
            }
        }
    }

    /**
     * How a session reads texts, as an administrator or a URL may have it: the one that makes tables and routines, and
     * later ones.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "ANSI_QUOTES,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES",
                "",
                "TRADITIONAL,NO_AUTO_VALUE_ON_ZERO,ONLY_FULL_GROUP_BY,NO_UNSIGNED_SUBTRACTION,PAD_CHAR_TO_FULL_LENGTH"
            })
    void anySqlModeWillDo(String mode) throws Exception {
        SqlAddress at = MySqlServer.shared().with("sessionVariables=sql_mode='" + mode + "'");
        String odd = "it's \\ a \"name\" %_ \\' --";
        try (TwoBackends backends = TwoBackends.on(at);
                Connection connection = at.connect()) {
            JdbcBackend backend = backends.one();
            Lease lease = backend.locks().lock(odd).tryAcquire().orElseThrow();
            CompletableFuture<Lease> next =
                    backends.other().locks().lock(odd).acquireAsync(PATIENCE).toCompletableFuture();
            await().atMost(PATIENCE).until(() -> queued(backend, odd) == 1);
            lease.close();
            next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
            assertThat(backend.ranges().next(odd, 7).last()).isEqualTo(7);
            connection.setAutoCommit(false);
            assertThat(backend.gapFree("g").next(connection)).isEqualTo(1);
            backend.fence().check(connection, odd, 5);
            backend.outbox().insert(connection, "o", List.of(Message.of("t", "k/1", odd)));
            connection.commit();
            assertThat(backend.outbox().claim("o", Duration.ofSeconds(60), 1).entries())
                    .singleElement()
                    .satisfies(entry -> assertThat(entry.message().text()).isEqualTo(odd));
        }
    }

    private static int queued(JdbcBackend backend, String name) {
        return backend.locks().inspect(name).orElseThrow().queue().size();
    }

    @Test
    void aServerOfAnotherKindIsToldFromTheOneOfTheUrl() {
        SqlAddress mySql = MySqlServer.shared();
        SqlAddress mariaDb = MariaDbServer.shared();
        try (JdbcBackend wrong = JdbcBackend.connect(
                mySql.url().replace("jdbc:mysql:", "jdbc:mariadb:"), mySql.user(), mySql.password())) {
            assertThatThrownBy(() -> wrong.ranges().next("n", 1))
                    .isInstanceOf(TenonException.class)
                    .hasMessageContaining("no MariaDB")
                    .hasMessageContaining("jdbc:mysql:");
        }
        try (JdbcBackend wrong = JdbcBackend.connect(
                mariaDb.with("sslMode=DISABLED").url().replace("jdbc:mariadb:", "jdbc:mysql:"),
                mariaDb.user(),
                mariaDb.password())) {
            assertThatThrownBy(() -> wrong.ranges().next("n", 1))
                    .isInstanceOf(TenonException.class)
                    .hasMessageContaining("no MySQL")
                    .hasMessageContaining("jdbc:mariadb:");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "5.7.44-log, true",
        "8.0.28, true",
        "8.0.29, false",
        "8.0.mysql_aurora.3.08.0, false",
        "8.4.3-cluster, false",
        "9.7.4-2, false",
        "10, false"
    })
    void tooOldIsToldByTheVersion(String version, boolean older) {
        assertThat(MySqlDialect.isOlder(version)).isEqualTo(older);
    }
}
