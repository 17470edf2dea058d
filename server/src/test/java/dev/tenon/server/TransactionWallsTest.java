package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.StoreEvents;
import dev.tenon.server.TestClient.Answer;
import dev.tenon.server.access.ApiKey;
import dev.tenon.server.access.ApiKeys;
import dev.tenon.server.access.Audit;
import dev.tenon.server.access.KeyGate;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.access.Right;
import dev.tenon.server.backend.ServerBackend;
import dev.tenon.tx.http.HttpTargets;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What keeps transactions from being a way around other walls. */
class TransactionWallsTest {
    private static final String MESSAGE =
            "\"kind\":\"message\",\"prepared\":true,\"targets\":[{\"name\":\"a\",\"url\":\"%s\"}]}";

    private static String message(String gid, String url) {
        return "{\"gid\":\"" + gid + "\"," + MESSAGE.formatted(url);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://shop.example/other",
                "http://shop.example/txt",
                "http://shop.example:81/tx/a",
                "https://shop.example/tx/a",
                "http://shop.example.evil.example/tx/a",
                "http://shop.example@evil.example/tx/a",
                "http://shop.example/tx/../admin",
                "http://shop.example/tx/%2e%2e/admin",
                "http://shop.example/tx/%2e%2e%2fadmin",
                "http://shop.example/tx/..%5cadmin",
                "http://shop.example/tx/..;/admin",
                "http://shop.example/tx/%2e%2e%3Bx=1/admin",
                "http://169.254.169.254/latest"
            })
    void onlyParticipantsThatAreNamedAreCalled(String url) {
        HttpTargets named = HttpTargets.within(List.of("http://shop.example/tx"));
        try (Node node = Node.start(
                NodeOptions.at("127.0.0.1", 0).withProtection(Protection.DEFAULT.withParticipants(named)),
                new MemoryServerBackend())) {
            TestClient client = new TestClient(node.port());
            Answer refused = client.post("/v1/transactions", message("a", url));
            assertThat(refused.problem()).as(refused.text()).isEqualTo("bad-transaction");
            assertThat(refused.json().path("field").asString()).isEqualTo("targets[0].url");
            assertThat(client.post("/v1/transactions", message("a", "HTTP://Shop.Example:80/tx/a?b=c"))
                            .status())
                    .isEqualTo(200);
        }
    }

    @Test
    void aKeyReachesTheTransactionsOfItsPrefixOnly() {
        ApiKey.Fresh all = ApiKey.fresh(new SecureRandom());
        ApiKey.Fresh shop = ApiKey.fresh(new SecureRandom());
        ApiKeys keys = new ApiKeys(List.of(key(all, "ops", Right.ADMIN, ""), key(shop, "shop", Right.USE, "shop-")));
        Queue<Audit.Deed> deeds = new ConcurrentLinkedQueue<>();
        NodeOptions options = NodeOptions.at("127.0.0.1", 0)
                .withGate(new KeyGate(() -> keys))
                .withProtection(Protection.DEFAULT.withAudit(deeds::add));
        try (Node node = Node.start(options, new MemoryServerBackend())) {
            TestClient client = new TestClient(node.port());
            String url = "http://127.0.0.1:1/";
            for (String gid : List.of("bank-1", "shop-", "shop-1", "shop-2", "shoq-1")) {
                assertThat(begin(client, all, message(gid, url)).status()).isEqualTo(200);
            }
            assertThat(begin(client, shop, message("bank-2", url)).status()).isEqualTo(403);
            assertThat(begin(client, shop, "{" + MESSAGE.formatted(url))
                            .json()
                            .path("gid")
                            .asString())
                    .startsWith("shop-0");
            assertThat(gids(call(client, shop, "GET", "/v1/transactions?limit=2", "")))
                    .hasSize(2)
                    .allMatch(gid -> gid.startsWith("shop-"));
            assertThat(gids(call(client, shop, "GET", "/v1/transactions?prefix=shop-2", "")))
                    .containsExactly("shop-2");
            assertThat(gids(call(client, shop, "GET", "/v1/transactions?prefix=shoq", "")))
                    .isEmpty();
            assertThat(call(client, shop, "GET", "/v1/transactions/bank-1", "").status())
                    .isEqualTo(403);
            assertThat(call(client, shop, "POST", "/v1/transactions/shop-1/retry", "")
                            .status())
                    .isEqualTo(403);
            assertThat(call(client, shop, "POST", "/v1/transactions/shop-1/abort", "{\"reason\":\"sold out\"}")
                            .status())
                    .isEqualTo(200);
            assertThat(call(client, all, "POST", "/v1/transactions/bank-1/suspend", "{\"reason\":\"audit\"}")
                            .status())
                    .isEqualTo(200);
            assertThat(deeds.stream()
                            .map(d -> d.what() + " " + d.who() + " " + d.on() + " "
                                    + d.more().get("why")))
                    .containsExactly(
                            "transaction-aborted shop shop-1 sold out", "transaction-suspended ops bank-1 audit");
        }
    }

    private static ApiKey key(ApiKey.Fresh fresh, String name, Right role, String prefix) {
        return new ApiKey(
                fresh.id(),
                name,
                role,
                Set.of(Scope.TRANSACTIONS),
                List.of(prefix),
                new ApiKey.Proof.Secret(fresh.sha256()),
                Instant.EPOCH,
                "test");
    }

    private static Answer begin(TestClient client, ApiKey.Fresh key, String body) {
        return call(client, key, "POST", "/v1/transactions", body);
    }

    private static Answer call(TestClient client, ApiKey.Fresh key, String method, String path, String body) {
        return client.call(method, path, body, "Authorization", "Bearer " + key.text());
    }

    private static List<String> gids(Answer page) {
        return page.json()
                .path("transactions")
                .valueStream()
                .map(tx -> tx.path("gid").asString())
                .toList();
    }

    @Test
    void aStoreWithoutTransactionsSaysSo() {
        try (Node node =
                Node.start(NodeOptions.at("127.0.0.1", 0), new WithoutTransactions(new MemoryServerBackend()))) {
            TestClient client = new TestClient(node.port());
            for (Answer refused : List.of(
                    client.post("/v1/transactions", message("a", "http://127.0.0.1:1/")),
                    client.fetch("/v1/transactions"),
                    client.fetch("/v1/transactions/a"),
                    client.post("/v1/transactions/a/abort", ""))) {
                assertThat(refused.status()).isEqualTo(501);
                assertThat(refused.problem()).isEqualTo("no-transactions");
                assertThat(refused.detail()).contains("--store jdbc:");
            }
        }
    }

    /** As Redis, ZooKeeper and etcd are. */
    private record WithoutTransactions(ServerBackend backend) implements ServerBackend {
        @Override
        public LockStore lockStore() {
            return backend.lockStore();
        }

        @Override
        public RangeStore ranges() {
            return backend.ranges();
        }

        @Override
        public WorkerIdSource workerIds(String group) {
            return backend.workerIds(group);
        }

        @Override
        public DefinitionStore definitions() {
            return backend.definitions();
        }

        @Override
        public CompletionStage<Boolean> attach(String sessionId, StoreEvents events) {
            return backend.attach(sessionId, events);
        }

        @Override
        public void close() {
            backend.close();
        }
    }
}
