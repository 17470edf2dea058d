package dev.tenon.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.server.Node;
import dev.tenon.server.NodeOptions;
import dev.tenon.server.StoreLocation;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.tx.Message;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.message.MessageHandlers;
import dev.tenon.tx.message.Outbox;
import dev.tenon.tx.message.OutboxOptions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code tenon outbox}, against a server over the database of a service that sends to a target without a handler. */
class OutboxCommandsTest {
    @Nested
    class OnMariaDb extends OverDatabase {
        @Override
        SqlAddress server() {
            return MariaDbServer.shared();
        }
    }

    @Nested
    class OnMySql extends OverDatabase {
        @Override
        SqlAddress server() {
            return MySqlServer.shared();
        }
    }

    @Nested
    class OnPostgres extends OverDatabase {
        @Override
        SqlAddress server() {
            return PostgresServer.shared();
        }
    }

    /** The commands over one database. */
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class OverDatabase {
        private static final OutboxOptions ONCE = OutboxOptions.DEFAULT.withRetry(
                new RetryPolicy(Duration.ofMillis(1), 1, Duration.ofMillis(1), OptionalInt.of(1)));

        private SqlAddress address;
        private JdbcBackend backend;
        private Node node;

        abstract SqlAddress server();

        @BeforeAll
        void start() {
            address = server().newDatabase();
            backend = JdbcBackend.connect(address.url(), address.user(), address.password());
            node = Node.open(
                    NodeOptions.at("127.0.0.1", 0),
                    new StoreLocation(address.url(), Optional.of(address.user()), Optional.of(address.password())));
        }

        @AfterAll
        void stop() {
            node.close();
            backend.close();
        }

        /** Sends them with no handler at all. */
        private void die(Message... messages) throws SQLException {
            try (Outbox outbox = Outbox.over(backend.outbox(), MessageHandlers.none(), ONCE);
                    Connection connection = address.connect()) {
                connection.setAutoCommit(false);
                outbox.enqueue(connection, List.of(messages));
                connection.commit();
                while (outbox.runOnce() > 0) {
                    Thread.onSpinWait();
                }
            }
        }

        private static Message nowhere(String id) {
            return Message.of("/paynowhere", "pay/1", "{\"cents\":30}").withId(id);
        }

        private CliRun run(String... words) {
            return CliRun.of(node.port(), words);
        }

        private long number(String id) {
            JsonNode page =
                    new JsonMapper().readTree(run("outbox", "dead", "--json").out());
            return page.path("messages")
                    .valueStream()
                    .filter(message -> message.path("id").asString().equals(id))
                    .findFirst()
                    .orElseThrow()
                    .path("number")
                    .asLong();
        }

        @Test
        void aTargetWithoutAHandlerIsShownAndEnded() throws SQLException {
            die(nowhere("pay-1").withKey("ann"), nowhere("pay-2").withKey("ann"));
            String first = String.valueOf(number("pay-1"));
            assertThat(run("outbox", "ls").out()).containsPattern("outbox +1 +\\S+ +1 +20");
            assertThat(run("outbox", "lanes").out()).contains("/paynowhere");
            assertThat(run("outbox", "blocked").out()).contains("/paynowhere", "ann", first, "DEAD", "no handler for");
            assertThat(run("outbox", "blocked", "/paynowhere", "ann").out())
                    .contains("Message " + first + " to /paynowhere is DEAD: This process has no handler")
                    .contains("BEHIND");
            assertThat(run("outbox", "blocked", "/paynowhere", "bob").out()).contains("Nothing waits");
            assertThat(run("outbox", "dead").out()).contains(first, "pay/1");
            assertThat(run("outbox", "show", first).out())
                    .contains("id:       pay-1", "{\"cents\":30}", "dead by attempt 1: This process has no handler");

            CliRun replayed = run("outbox", "replay", first, "--reason", "a handler is there");
            assertThat(replayed.out()).isEqualTo("Message " + first + " is replayed.\n");
            assertThat(run("outbox", "replay", first).err()).contains("is not a dead letter; it is WAITING");
            assertThat(run("outbox", "show", first).out()).containsPattern("replayed by .*: a handler is there");
            die(nowhere("pay-3").withKey("ann"));
            assertThat(run("outbox", "discard", first, "--reason", "not needed", "--json")
                            .out())
                    .isEqualTo("{\"numbers\":[" + first + "]}\n");
            assertThat(run("outbox", "show", first).out()).contains("is DISCARDED");
            assertThat(run("outbox", "discard", "--all", "--target", "/paynowhere", "--reason", "of no use")
                            .exitCode())
                    .isZero();
        }

        @Test
        void allThatAreMeantAreReplayedOrDiscarded() throws SQLException {
            Message[] many = new Message[100];
            for (int i = 0; i < many.length; i++) {
                many[i] = Message.of("/many", "t/1", "x");
            }
            die(many);
            die(Message.of("/many", "t/1", "x"), Message.of("/few", "t/1", "x").withId("few"));
            assertThat(run("outbox", "dead", "--target", "/many").out()).contains("There may be more: --after ");
            assertThat(run("outbox", "discard", "--all", "--target", "/many", "--reason", "old")
                            .out())
                    .isEqualTo("101 messages are discarded.\n");
            assertThat(run("outbox", "replay", "--all", "--target", "/few").out())
                    .startsWith("Message ")
                    .endsWith(" is replayed.\n");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "outbox",
                "outbox frob",
                "outbox show",
                "outbox show x",
                "outbox discard 1",
                "outbox discard --reason x",
                "outbox replay",
                "outbox replay 1 --all",
                "outbox replay 1 --target t",
                "outbox blocked t"
            })
    void wrongUsageIsRefused(String words) {
        assertThat(CliRun.of(words.split(" ")).exitCode()).isEqualTo(2);
    }
}
