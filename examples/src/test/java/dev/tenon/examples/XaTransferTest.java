package dev.tenon.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.testkit.ForkedJvm;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The same money on H2 and on servers. */
class XaTransferTest {
    @Test
    void onH2() {
        requireTransfers(ForkedJvm.start(XaTransfer.class));
    }

    @Test
    void fromMariaDbToPostgres() {
        requireTransfersToPostgres(MariaDbServer.shared());
    }

    @Test
    void fromMySqlToPostgres() {
        requireTransfersToPostgres(MySqlServer.shared());
    }

    private static void requireTransfersToPostgres(SqlAddress giro) {
        SqlAddress savings = PostgresServer.shared();
        requireTransfers(ForkedJvm.start(
                XaTransfer.class,
                giro.url(),
                giro.user(),
                giro.password(),
                savings.url(),
                savings.user(),
                savings.password()));
    }

    private static void requireTransfers(ForkedJvm program) {
        try (program) {
            assertThat(program.awaitExit(Duration.ofSeconds(60)))
                    .as(program::errors)
                    .isZero();
            assertThat(program.lines())
                    .containsExactly(
                            "giro 70, savings 130",
                            "Not enough there, so nothing came here",
                            "giro 70, savings 130",
                            "giro 50, savings 150");
        }
    }
}
