package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.engine.UnnamedTransactions;
import dev.tenon.tx.saga.Saga;
import dev.tenon.tx.saga.Sagas;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What was begun by an application without a name is handed over by the statement of the page. */
class ServiceHandOverTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String STEP = "saga:order/1/pay";

    static Stream<Named<Supplier<SqlAddress>>> databases() {
        return Stream.of(
                Named.of("MariaDB", MariaDbServer::shared),
                Named.of("MySQL", MySqlServer::shared),
                Named.of("PostgreSQL", PostgresServer::shared));
    }

    @ParameterizedTest
    @MethodSource("databases")
    void whatIsOpenIsDrivenUnderItsNewName(Supplier<SqlAddress> database) throws Exception {
        SqlAddress at = database.get();
        TransactionOptions options = TransactionOptions.DEFAULT.withClaim(Duration.ofSeconds(1));
        TransactionId gid = new TransactionId("order-" + UUID.randomUUID());
        try (JdbcBackend backend = JdbcBackend.connect(at.url(), at.user(), at.password())) {
            NamedParticipants closed = new NamedParticipants();
            try (Transactions before = UnnamedTransactions.over(backend.transactions(), closed, options)) {
                Sagas.over(before, closed)
                        .register(Saga.named("order", 1)
                                .step("pay", call -> Reply.notYet("closed"))
                                .build())
                        .start("order", gid, "{}");
            }
            NamedParticipants open = new NamedParticipants().register(STEP, call -> Reply.done());
            try (Transactions orders =
                    TransactionEngine.over(backend.transactions(), open, options.withService("orders"))) {
                try (Connection connection = at.connect();
                        Statement statement = connection.createStatement()) {
                    assertThat(statement.executeUpdate("UPDATE tenon_tx SET service = 'orders' WHERE service = ''"))
                            .isEqualTo(1);
                }
                Awaitility.await().atMost(PATIENCE).until(() -> {
                    orders.runOnce();
                    return orders.find(gid).orElseThrow().state() == TransactionState.COMMITTED;
                });
            }
        }
    }
}
