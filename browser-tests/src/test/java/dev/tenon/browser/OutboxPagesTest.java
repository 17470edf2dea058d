package dev.tenon.browser;

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
import dev.tenon.tx.Reply;
import dev.tenon.tx.message.Outbox;
import dev.tenon.tx.message.OutboxOptions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a person sees of messages that do not arrive, and does about them. */
class OutboxPagesTest {
    @Tag("soak")
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

    /** The pages over one database. */
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    @ExtendWith(OneBrowser.class)
    abstract static class OverDatabase {
        private SqlAddress address;
        private JdbcBackend backend;
        private Node node;
        private Api api;
        private Browser browser;

        abstract SqlAddress server();

        @BeforeAll
        void start(Browser one) {
            browser = one;
            address = server().newDatabase();
            backend = JdbcBackend.connect(address.url(), address.user(), address.password());
            node = Node.open(
                    NodeOptions.at("127.0.0.1", 0),
                    new StoreLocation(address.url(), Optional.of(address.user()), Optional.of(address.password())));
            api = new Api(node.port());
        }

        @AfterAll
        void stop() {
            node.close();
            backend.close();
        }

        private void at(String hash) {
            browser.open(api.base() + "/" + hash);
        }

        /** Sends them to where nobody is. */
        private void die(String name, Message... messages) throws SQLException {
            OutboxOptions options = OutboxOptions.DEFAULT.withName(name);
            try (Outbox outbox = Outbox.over(
                            backend.outbox(), message -> Reply.refused("no handler for " + message.target()), options);
                    Connection connection = address.connect()) {
                connection.setAutoCommit(false);
                outbox.enqueue(connection, List.of(messages));
                connection.commit();
                while (outbox.runOnce() > 0) {
                    Thread.onSpinWait();
                }
            }
        }

        private long number(String outbox, String id) {
            return api.fetch("/v1/outbox/dead-letters?outbox=" + outbox)
                    .path("messages")
                    .valueStream()
                    .filter(message -> message.path("id").asString().equals(id))
                    .findFirst()
                    .orElseThrow()
                    .path("number")
                    .asLong();
        }

        private String state(long number) {
            return api.fetch("/v1/outbox/messages/" + number).path("state").asString();
        }

        private static Message nowhere(String id) {
            return Message.of("/paynowhere", "pay/1", "{\"cents\":30}").withId(id);
        }

        @Test
        void aTargetWithoutAHandlerIsSeenAndDiscarded() throws SQLException {
            die("shop", nowhere("pay-1").withKey("ann"), nowhere("pay-2").withKey("ann"), nowhere("pay-3"));
            long first = number("shop", "pay-1");
            at("#/outbox?outbox=shop");
            browser.awaitRow("/paynowhere", "ann", String.valueOf(first), "dead", "no handler for /paynowhere");
            browser.awaitText("Dead letters");
            browser.click("Discard " + first);
            browser.awaitText("never sent");
            browser.click("button", "Discard");
            browser.awaitText("Say why");
            browser.fill("Reason", "not <b>needed</b>");
            browser.click("button", "Discard");
            browser.awaitNoDialog();
            assertThat(state(first)).isEqualTo("DISCARDED");
            at("#/outbox/" + first);
            browser.awaitRow("discarded", "anyone at", "not <b>needed</b>");
            browser.awaitText("{\"cents\":30}");
        }

        @Test
        void axeFindsNothingInEitherTheme() throws Exception {
            die(
                    "axe",
                    nowhere("a").withKey("eve").withHeader("trace", "t1"),
                    nowhere("b").withKey("eve"));
            long first = number("axe", "a");
            for (String scheme : List.of("light", "dark")) {
                browser.prefer(scheme);
                at("#/outbox?outbox=axe");
                Axe axe = Axe.in(browser);
                browser.awaitRow("/paynowhere", "eve");
                assertThat(axe.violations(scheme + " outbox")).isEmpty();
                browser.click("Discard " + first);
                browser.awaitText("never sent");
                assertThat(axe.violations(scheme + " dialog")).isEmpty();
                browser.click("Cancel");
                browser.go("#/outbox/" + first);
                browser.awaitText("What is in it");
                assertThat(axe.violations(scheme + " message")).isEmpty();
            }
            browser.prefer("light");
        }

        @Test
        void itFitsAPhone() throws SQLException {
            die("phone", nowhere("a").withKey("a".repeat(200)), nowhere("b").withKey("eve"));
            browser.size(360, 740);
            at("#/outbox?outbox=phone");
            browser.awaitRow("/paynowhere", "eve");
            assertThat(browser.script(
                            "return document.documentElement.scrollWidth - document.documentElement.clientWidth"))
                    .isEqualTo(0L);
            browser.size(1280, 900);
        }

        @Test
        void whatBlocksAKeyIsShownAndReplayed() throws SQLException {
            die("desk", nowhere("a").withKey("bob"), nowhere("b").withKey("bob"));
            long first = number("desk", "a");
            long second = api.fetch("/v1/outbox/messages?outbox=desk&target=%2Fpaynowhere&key=bob")
                    .path("messages")
                    .path(1)
                    .path("number")
                    .asLong();
            at("#/outbox/" + second);
            browser.awaitText("Another message goes first.");
            browser.click("link", "Message " + first);
            browser.awaitHeading("Message " + first);
            browser.awaitText("It was given up, and keeps 1 back.");
            browser.click("Replay " + first);
            browser.fill("Reason", "a handler is there");
            browser.click("button", "Replay");
            browser.awaitNoDialog();
            browser.awaitRow("replayed", "anyone at", "a handler is there");
            assertThat(state(first)).isEqualTo("WAITING");
        }
    }
}
