package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.tenon.server.TestClient.Answer;
import dev.tenon.server.access.ApiKey;
import dev.tenon.server.access.ApiKeys;
import dev.tenon.server.access.Audit;
import dev.tenon.server.access.KeyGate;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.access.Right;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.tx.Message;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * A service sends messages to a target that has no handler; whoever asks a server over its database sees that, and ends
 * it.
 */
class OutboxOverHttpTest {
    private static final String DEAD = "/v1/outbox/dead-letters";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

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

    /** With the service and the server on one database. */
    abstract static class OverDatabase {
        private final Queue<Audit.Deed> deeds = new ConcurrentLinkedQueue<>();
        private final Map<String, ApiKey.Fresh> keys = Map.of(
                "ops", ApiKey.fresh(new SecureRandom()),
                "looker", ApiKey.fresh(new SecureRandom()),
                "user", ApiKey.fresh(new SecureRandom()),
                "other", ApiKey.fresh(new SecureRandom()),
                "locker", ApiKey.fresh(new SecureRandom()));

        abstract SqlAddress server();

        private ApiKey key(String name, Right role, Scope scope, String prefix) {
            return new ApiKey(
                    keys.get(name).id(),
                    name,
                    role,
                    Set.of(scope),
                    List.of(prefix),
                    new ApiKey.Proof.Secret(keys.get(name).sha256()),
                    Instant.EPOCH,
                    "test");
        }

        private Node node(ShopOutbox shop) {
            ApiKeys known = new ApiKeys(List.of(
                    key("ops", Right.ADMIN, Scope.TRANSACTIONS, ""),
                    key("looker", Right.READ, Scope.TRANSACTIONS, ""),
                    key("user", Right.USE, Scope.TRANSACTIONS, "shop"),
                    key("other", Right.ADMIN, Scope.TRANSACTIONS, "bank"),
                    key("locker", Right.ADMIN, Scope.LOCKS, "")));
            NodeOptions options = NodeOptions.at("127.0.0.1", 0)
                    .withGate(new KeyGate(() -> known))
                    .withProtection(Protection.DEFAULT.withAudit(deeds::add));
            return Node.open(options, shop.store());
        }

        private Answer as(Node node, String name, String method, String path, String body) {
            return new TestClient(node.port())
                    .call(
                            method,
                            path,
                            body,
                            "Authorization",
                            "Bearer " + keys.get(name).text());
        }

        private JsonNode ops(Node node, String path) {
            Answer answer = as(node, "ops", "GET", path, "");
            assertThat(answer.status()).as(answer.text()).isEqualTo(200);
            return answer.json();
        }

        private JsonNode ops(Node node, String path, String body) {
            Answer answer = as(node, "ops", "POST", path, body);
            assertThat(answer.status()).as(answer.text()).isEqualTo(200);
            return answer.json();
        }

        /** Three to nowhere, of which two have a key, and one behind that. */
        private static void commit(ShopOutbox shop) {
            shop.commit(
                    Message.of("/paynowhere", "pay/1", "{\"cents\":30}")
                            .withId("pay-1")
                            .withKey("ann")
                            .withHeader("trace", "t1"),
                    Message.of("/paynowhere", "pay/1", "{}").withId("pay-2").withKey("ann"),
                    Message.of("/paynowhere", "pay/1", "{}").withId("pay-3"),
                    Message.of("points", "points/1", "30"));
            shop.run();
        }

        @Test
        void aTargetWithoutAHandlerIsSeen() {
            try (ShopOutbox shop = ShopOutbox.at(server().newDatabase(), "shop");
                    Node node = node(shop)) {
                commit(shop);
                assertThat(shop.sent()).containsExactly("30");

                JsonNode outbox = ops(node, "/v1/outbox").path("outboxes").path(0);
                assertThat(outbox.path("outbox").asString()).isEqualTo("shop");
                assertThat(outbox.path("deadLetters").asInt()).isEqualTo(2);
                assertThat(outbox.path("waiting").asInt()).isEqualTo(1);
                assertThat(Instant.parse(outbox.path("oldestDeath").asString())).isAfter(Instant.EPOCH);

                JsonNode lanes =
                        ops(node, "/v1/outbox/lanes?outbox=shop&failing=true").path("lanes");
                assertThat(lanes.valueStream()
                                .map(lane -> tuple(
                                        lane.path("target").asString(),
                                        lane.path("key").asString(""),
                                        lane.path("waiting").asInt(),
                                        lane.path("failing").asBoolean(),
                                        lane.path("first").path("id").asString())))
                        .containsExactly(
                                tuple("/paynowhere", "ann", 1, true, "pay-1"),
                                tuple("/paynowhere", "", 0, true, "pay-3"));
                JsonNode blocked = ops(node, "/v1/outbox/lanes?outbox=shop&target=%2Fpaynowhere&key=ann")
                        .path("lanes")
                        .path(0);
                assertThat(blocked.path("first").path("lastError").asString())
                        .isEqualTo("This process has no handler for \"/paynowhere\"");
                assertThat(ops(node, "/v1/outbox/messages?outbox=shop&target=%2Fpaynowhere&key=ann")
                                .path("messages")
                                .valueStream()
                                .map(m -> m.path("id").asString() + " "
                                        + m.path("state").asString()))
                        .containsExactly("pay-1 DEAD", "pay-2 BEHIND");

                long number = blocked.path("first").path("number").asLong();
                JsonNode message = ops(node, "/v1/outbox/messages/" + number);
                assertThat(message.path("history").path(0).path("what").asString())
                        .isEqualTo("dead");
                assertThat(message.path("content").path("text").asString()).isEqualTo("{\"cents\":30}");
                assertThat(message.path("content").path("headers").path("trace").asString())
                        .isEqualTo("t1");
                Awaitility.await()
                        .atMost(PATIENCE)
                        .until(() -> shown(shop), text -> text.contains("tenon_outbox_dead_letters 2.0"));
                assertThat(shown(shop))
                        .contains("tenon_outbox_lanes_failing 2.0")
                        .contains("tenon_outbox_lag_seconds ");
            }
        }

        /** The metrics of another server, which asks for no key. */
        private static String shown(ShopOutbox shop) {
            try (Node open = Node.open(NodeOptions.at("127.0.0.1", 0), shop.store())) {
                TestClient client = new TestClient(open.port());
                return Awaitility.await()
                        .atMost(PATIENCE)
                        .until(
                                () -> client.fetch("/metrics").text(),
                                text -> !text.matches("(?s).*tenon_outbox_\\w+ NaN.*"));
            }
        }

        @Test
        void deadLettersAreReplayedAndDiscardedWithAReason() {
            try (ShopOutbox shop = ShopOutbox.at(server().newDatabase(), "shop");
                    Node node = node(shop)) {
                commit(shop);
                JsonNode letters = ops(node, DEAD + "?outbox=shop&limit=1");
                assertThat(letters.path("messages").size()).isEqualTo(1);
                long first = letters.path("next").asLong();
                JsonNode replayed = ops(node, DEAD + "/" + first + "/replay", "{\"reason\":\"a handler is there\"}");
                assertThat(replayed.path("state").asString()).isEqualTo("WAITING");
                assertThat(as(node, "ops", "POST", DEAD + "/" + first + "/discard", "")
                                .problem())
                        .isEqualTo("no-dead-letter");
                shop.run();
                assertThat(ops(node, DEAD + "/" + first + "/discard", "{\"reason\":\"not needed\"}")
                                .path("history")
                                .valueStream()
                                .map(event -> event.path("what").asString() + " "
                                        + event.path("by").asString() + " "
                                        + event.path("detail").asString()))
                        .contains("replayed ops a handler is there", "discarded ops not needed");
                shop.run();
                assertThat(ops(node, DEAD + "?outbox=shop")
                                .path("messages")
                                .valueStream()
                                .map(m -> m.path("id").asString()))
                        .as("the one behind it had its turn")
                        .containsExactlyInAnyOrder("pay-2", "pay-3");
                JsonNode done = ops(
                        node,
                        DEAD + "/discard",
                        "{\"outbox\":\"shop\",\"target\":\"/paynowhere\",\"limit\":100,\"reason\":\"of no use\"}");
                assertThat(done.path("numbers").size()).isEqualTo(2);
                assertThat(done.has("next")).isFalse();
                assertThat(ops(node, DEAD + "/replay", "{\"outbox\":\"shop\"}").path("numbers"))
                        .isEmpty();
                assertThat(deeds.stream()
                                .map(d -> d.what() + " " + d.who() + " " + d.on() + " "
                                        + d.more().get("why")))
                        .containsExactlyInAnyOrder(
                                "message-replayed ops pay-1 a handler is there",
                                "message-discarded ops pay-1 not needed",
                                "message-discarded ops pay-2 of no use",
                                "message-discarded ops pay-3 of no use");
            }
        }

        @Test
        void onlyWhoMayDoesAnything() {
            try (ShopOutbox shop = ShopOutbox.at(server().newDatabase(), "shop");
                    Node node = node(shop)) {
                commit(shop);
                long number = ops(node, DEAD + "?outbox=shop")
                        .path("messages")
                        .path(0)
                        .path("number")
                        .asLong();
                for (String name : List.of("looker", "user")) {
                    Answer seen = as(node, name, "GET", "/v1/outbox/messages/" + number, "");
                    assertThat(seen.status()).isEqualTo(200);
                    assertThat(seen.json().has("content"))
                            .as("what customers were sent")
                            .isFalse();
                    assertThat(as(node, name, "GET", DEAD + "?outbox=shop", "").status())
                            .isEqualTo(200);
                    for (String act :
                            List.of("/" + number + "/replay", "/" + number + "/discard", "/replay", "/discard")) {
                        Answer refused = as(node, name, "POST", DEAD + act, "{\"reason\":\"x\"}");
                        assertThat(refused.problem()).as(name + act).isEqualTo("forbidden");
                    }
                }
                assertThat(as(node, "other", "GET", "/v1/outbox", "").json().path("outboxes"))
                        .isEmpty();
                for (String path : List.of(
                        "/v1/outbox/lanes?outbox=shop", DEAD + "?outbox=shop", "/v1/outbox/messages/" + number)) {
                    assertThat(as(node, "other", "GET", path, "").problem()).isEqualTo("forbidden");
                    assertThat(as(node, "locker", "GET", path, "").problem()).isEqualTo("forbidden");
                }
                for (String act : List.of("/" + number + "/replay", "/" + number + "/discard")) {
                    assertThat(as(node, "other", "POST", DEAD + act, "").problem())
                            .isEqualTo("forbidden");
                }
                for (String act : List.of("/replay", "/discard")) {
                    assertThat(as(node, "other", "POST", DEAD + act, "{\"outbox\":\"shop\"}")
                                    .problem())
                            .isEqualTo("forbidden");
                }
                assertThat(deeds).isEmpty();
                assertThat(ops(node, DEAD + "?outbox=shop").path("messages")).hasSize(2);
            }
        }
    }

    @Test
    void whatIsWrongIsSaid() {
        try (ShopOutbox shop = ShopOutbox.inMemory();
                Node node = Node.open(NodeOptions.at("127.0.0.1", 0), shop.store())) {
            TestClient client = new TestClient(node.port());
            assertThat(client.fetch("/v1/outbox/messages/42").problem()).isEqualTo("unknown-message");
            assertThat(client.post(DEAD + "/42/replay", "").problem()).isEqualTo("unknown-message");
            assertThat(client.fetch("/v1/outbox/messages/x").problem()).isEqualTo("bad-request");
            assertThat(client.fetch("/v1/outbox/lanes?target=a").problem()).isEqualTo("bad-request");
            assertThat(client.fetch("/v1/outbox/lanes?failing=maybe").problem()).isEqualTo("bad-request");
            assertThat(client.fetch(DEAD + "?limit=101").problem()).isEqualTo("bad-request");
            assertThat(client.fetch(DEAD + "?outbox=%00").problem()).isEqualTo("bad-name");
            assertThat(client.post(DEAD + "/replay", "{\"number\":1}").problem())
                    .isEqualTo("malformed-json");
        }
    }

    @Test
    void aStoreWithoutAnOutboxSaysSo(@TempDir Path folder) {
        try (Node node = Node.open(NodeOptions.at("127.0.0.1", 0), folder.resolve("data"))) {
            TestClient client = new TestClient(node.port());
            for (Answer refused : List.of(
                    client.fetch("/v1/outbox"),
                    client.fetch(DEAD),
                    client.fetch("/v1/outbox/messages/1"),
                    client.post(DEAD + "/1/replay", ""),
                    client.post(DEAD + "/discard", ""))) {
                assertThat(refused.status()).isEqualTo(501);
                assertThat(refused.problem()).isEqualTo("no-outbox");
                assertThat(refused.detail()).contains("--store jdbc:");
            }
        }
    }
}
