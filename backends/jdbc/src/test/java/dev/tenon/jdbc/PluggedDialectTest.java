package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.TenonException;
import dev.tenon.lock.Lease;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Backends whose dialect comes from the options. The contracts run over such a one in the examples. */
class PluggedDialectTest {
    private static final String H2 = "jdbc:h2:mem:plugged;DB_CLOSE_DELAY=-1";

    @Test
    void aConnectedBackendUsesItsStatements() {
        DialectTest.Altered wrong = new DialectTest.Altered(SqlDialect.of(H2))
                .with(SqlStatement.RANGE_READ, "SELECT nowhere FROM tenon_range WHERE name = :name");
        try (JdbcBackend backend = JdbcBackend.connect(H2, "sa", "", JdbcOptions.DEFAULT.withDialect(wrong))) {
            assertThatThrownBy(() -> backend.ranges().definition("orders")).hasMessageContaining("NOWHERE");
        }
    }

    @Test
    void aBackendOverADataSourceUsesItsStatements() {
        DialectTest.Altered wrong = new DialectTest.Altered(SqlDialect.of(H2))
                .with(SqlStatement.RANGE_READ, "SELECT nowhere FROM tenon_range WHERE name = :name");
        try (JdbcBackend backend =
                JdbcBackend.over(JdbcBackendTest.source(H2, "sa", ""), JdbcOptions.DEFAULT.withDialect(wrong))) {
            assertThatThrownBy(() -> backend.ranges().definition("orders")).hasMessageContaining("NOWHERE");
        }
    }

    @Test
    void waitersOfOneThatIsBasedOnPostgresPoll() throws InterruptedException {
        SqlAddress at = PostgresServer.shared().newDatabase();
        DialectTest.Altered based = new DialectTest.Altered(SqlDialect.of("jdbc:postgresql:"));
        JdbcOptions options = JdbcOptions.DEFAULT.withDialect(based);
        try (JdbcBackend one = JdbcBackend.connect(at.url(), at.user(), at.password(), options);
                JdbcBackend other = JdbcBackend.connect(at.url(), at.user(), at.password(), options)) {
            Lease held = one.locks().lock("stock").acquire(Duration.ofMinutes(1));
            assertThat(other.locks().lock("stock").tryAcquire()).isEmpty();
            held.close();
            Optional<Lease> next = other.locks().lock("stock").tryAcquire(Duration.ofMinutes(1));
            assertThat(next).isPresent();
            assertThat(next.get().token()).isGreaterThan(held.token());
            next.get().close();
        }
    }

    @Test
    void thereIsNoAutomaticUndo() {
        JdbcOptions options = JdbcOptions.DEFAULT.withDialect(new DialectTest.Altered(SqlDialect.of(H2)));
        try (JdbcBackend backend = JdbcBackend.connect(H2, "sa", "", options)) {
            assertThatThrownBy(() -> backend.autoUndo(JdbcBackendTest.source(H2, "sa", "")))
                    .isInstanceOf(TenonException.class)
                    .hasMessageContaining("not those of H2");
        }
    }
}
