package dev.tenon.client;

import static dev.tenon.client.Sessions.join;
import static dev.tenon.client.Sessions.wish;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.server.Node;
import dev.tenon.server.NodeOptions;
import dev.tenon.server.Protection;
import dev.tenon.server.access.ApiKey;
import dev.tenon.server.access.ApiKeys;
import dev.tenon.server.access.KeyGate;
import dev.tenon.server.access.LimitedResource;
import dev.tenon.server.access.Limits;
import dev.tenon.server.access.Limits.Share;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.access.Right;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.spi.TransactionStore;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How much of a server one key may take, and all of them, over HTTP and gRPC; and that what ends things passes at any
 * time.
 */
class QuotasTest {
    private static final Share FEW = new Share(5, 3);
    private static final String DEAD = "http://127.0.0.1:9/";

    private final ApiKey.Fresh first = ApiKey.fresh(new SecureRandom());
    private final ApiKey.Fresh second = ApiKey.fresh(new SecureRandom());
    private final HttpClient http = HttpClient.newHttpClient();

    @TempDir
    Path folder;

    private Node node;
    private TenonClient tenon;
    private TenonClient other;

    private void open(Limits limits, boolean durable) {
        NodeOptions options = NodeOptions.at("127.0.0.1", 0)
                .withGate(new KeyGate(() -> new ApiKeys(List.of(key(first, "first"), key(second, "second")))))
                .withProtection(Protection.DEFAULT.withLimits(limits));
        node = durable ? Node.open(options, folder) : Clients.memoryNode(options);
        tenon = client(first);
        other = client(second);
    }

    private static ApiKey key(ApiKey.Fresh fresh, String name) {
        ApiKey.Proof proof = new ApiKey.Proof.Secret(fresh.sha256());
        return new ApiKey(
                fresh.id(), name, Right.ADMIN, Set.of(Scope.values()), List.of(""), proof, Instant.EPOCH, "t");
    }

    private TenonClient client(ApiKey.Fresh key) {
        return TenonClient.connect(ClientOptions.of("127.0.0.1:" + node.port())
                .withCallTimeout(Clients.PATIENCE)
                .withApiKey(key.text()));
    }

    @AfterEach
    void close() {
        tenon.close();
        other.close();
        node.close();
    }

    private HttpResponse<String> call(ApiKey.Fresh key, String method, String path, String body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + node.port() + path))
                .header("Authorization", "Bearer " + key.text())
                .method(method, BodyPublishers.ofString(body))
                .build();
        try {
            return http.send(request, BodyHandlers.ofString());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void assertRefused(HttpResponse<String> answer, String problem, String detail) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(429);
        assertThat(answer.body()).contains("urn:tenon:problem:" + problem, detail);
    }

    private double metric(String name, String quota) {
        String text = call(first, "GET", "/metrics", "").body();
        Matcher sample = Pattern.compile("tenon_quota_" + name + "\\{quota=\"" + quota + "\"} ([0-9.E]+)")
                .matcher(text);
        assertThat(sample.find()).as(text).isTrue();
        return Double.parseDouble(sample.group(1));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void locks(boolean durable) {
        open(Limits.DEFAULT.with(LimitedResource.LOCKS, FEW), durable);
        LockStore store = tenon.lockStore();
        String session = Sessions.open(store);
        List<Release> held = new ArrayList<>();
        for (int i = 0; i < FEW.perKey(); i++) {
            Outcome outcome = join(store.acquire(wish("n" + i, session, Duration.ZERO)));
            held.add(new Release("n" + i, ((Outcome.Granted) outcome).token()));
        }
        assertThatThrownBy(() -> join(store.acquire(wish("n", session, Duration.ZERO))))
                .rootCause()
                .hasMessageContaining("With your key, 3 locks")
                .hasMessageContaining("--max-locks-per-key");
        String mine = session(first);
        String acquire = "{\"session\":\"%s\",\"wait\":\"PT0S\"}";
        assertRefused(
                call(first, "POST", "/v1/locks/n/acquire", acquire.formatted(mine)),
                "too-many-locks",
                "--max-locks-per-key");

        String theirs = session(second);
        for (int i = 0; i < FEW.all() - FEW.perKey(); i++) {
            assertThat(call(second, "POST", "/v1/locks/m" + i + "/acquire", acquire.formatted(theirs))
                            .statusCode())
                    .isEqualTo(200);
        }
        assertRefused(
                call(second, "POST", "/v1/locks/m/acquire", acquire.formatted(theirs)), "too-many-locks", "5 locks");
        assertThat(metric("used", "locks")).isEqualTo(5);
        assertThat(metric("limit", "locks")).isEqualTo(5);
        assertThat(metric("refusals_total", "locks")).isEqualTo(3);

        join(store.release(held));
        join(store.acquire(wish("again", session, Duration.ZERO)));
        join(store.closeSession(session));
        call(second, "DELETE", "/v1/sessions/" + theirs, "");
        assertThat(metric("used", "locks")).isZero();
    }

    private String session(ApiKey.Fresh key) {
        String opened = call(key, "POST", "/v1/sessions", "{\"ttl\":\"PT5M\"}").body();
        Matcher id = Pattern.compile("\"id\":\"([^\"]+)\"").matcher(opened);
        assertThat(id.find()).as(opened).isTrue();
        return id.group(1);
    }

    @Test
    void transactions() {
        open(Limits.DEFAULT.with(LimitedResource.TRANSACTIONS, FEW), true);
        TransactionStore log = tenon.transactions();
        begin(log, "a0", 10);
        assertThat(post(first, "b1", 10).statusCode()).isEqualTo(200);
        assertThat(post(first, "b2", 10).statusCode()).isEqualTo(200);
        assertRefused(post(first, "b3", 10), "too-many-transactions", "--max-transactions-per-key");
        assertThatThrownBy(() -> begin(log, "a1", 10)).hasMessageContaining("With your key, 3 transactions");
        assertThat(post(first, "b1", 10).statusCode()).as("repeated").isEqualTo(200);

        assertThat(post(second, "c1", 10).statusCode()).isEqualTo(200);
        assertThat(post(second, "c2", 10).statusCode()).isEqualTo(200);
        assertRefused(post(second, "c3", 10), "too-many-transactions", "5 transactions");

        end(log, "a0");
        assertThat(call(first, "POST", "/v1/transactions/b1/abort", "").statusCode())
                .isEqualTo(200);
        await().atMost(Clients.PATIENCE).until(() -> metric("used", "transactions") == 4);
        begin(log, "a2", 10);
    }

    private HttpResponse<String> post(ApiKey.Fresh key, String gid, int size) {
        String body = "{\"kind\":\"tcc\",\"gid\":\"%s\",\"deadline\":\"PT1H\",\"branches\":[{\"name\":\"b\","
                + "\"payload\":{\"p\":\"%s\"},\"confirm\":\"%sc\",\"cancel\":\"%sx\"}]}";
        return call(key, "POST", "/v1/transactions", body.formatted(gid, "p".repeat(size), DEAD, DEAD));
    }

    private static TransactionRecord begin(TransactionStore log, String gid, int size) {
        TransactionDraft draft = new TransactionDraft(
                new TransactionId(gid),
                TransactionKind.SAGA,
                "shop",
                "",
                "p".repeat(size),
                Optional.empty(),
                TransactionState.ACTIVE,
                Duration.ofHours(1),
                RetryPolicy.FOR_EVER,
                List.of());
        return log.begin(draft, Optional.of("me"), Duration.ofHours(1)).transaction();
    }

    private static void end(TransactionStore log, String gid) {
        TransactionRecord tx = log.find(new TransactionId(gid)).orElseThrow();
        TransactionRecord aborting =
                log.update(tx, tx.in(TransactionState.ABORTING), List.of()).orElseThrow();
        log.update(aborting, aborting.in(TransactionState.ABORTED), List.of()).orElseThrow();
    }

    @Test
    void bytes() {
        open(Limits.DEFAULT.with(LimitedResource.STATE, new Share(500_000, 200_000)), true);
        TransactionStore log = tenon.transactions();
        for (int i = 0; i < 3; i++) {
            begin(log, "a" + i, 60_000);
        }
        assertThatThrownBy(() -> begin(log, "a3", 60_000)).hasMessageContaining("--max-state-size-per-key");
        assertRefused(post(first, "a4", 60_000), "too-much-state", "--max-state-size-per-key");

        TransactionStore theirs = other.transactions();
        for (int i = 0; i < 3; i++) {
            begin(theirs, "b" + i, 60_000);
        }
        close();
        open(Limits.DEFAULT.with(LimitedResource.STATE, new Share(400_000, 200_000)), true);
        TransactionStore again = tenon.transactions();
        assertThatThrownBy(() -> begin(again, "a3", 60_000))
                .as("what is kept counts, whoever brought it, and when")
                .hasMessageContaining("--max-state-size");
        assertThat(metric("used", "state")).isBetween(360_000.0, 400_000.0);
        String session = session(first);
        for (int i = 0; i < 3; i++) {
            end(again, "a" + i);
        }
        assertThat(call(first, "DELETE", "/v1/sessions/" + session, "").statusCode())
                .isEqualTo(204);
    }

    @Test
    void definitions() {
        open(Limits.DEFAULT.with(LimitedResource.DEFINITIONS, new Share(8, 3)), false);
        String uuid = "{\"kind\":\"uuid\"}";
        assertThat(call(first, "PUT", "/v1/ids/a", uuid).statusCode()).isEqualTo(201);
        assertThat(call(first, "PUT", "/v1/ids/a", "{\"kind\":\"ulid\"}").statusCode())
                .isEqualTo(409);
        tenon.definitions().putIfAbsent("b", uuid);
        tenon.ranges().next("r", 1);
        String full = "With your key, 3 names";
        assertRefused(call(first, "PUT", "/v1/ids/c", uuid), "too-many-definitions", full);
        assertThatThrownBy(() -> tenon.definitions().putIfAbsent("c", uuid)).hasMessageContaining(full);
        assertThatThrownBy(() -> tenon.ranges().next("s", 1)).hasMessageContaining(full);
        assertThatThrownBy(() -> tenon.ranges().raiseTo("s", 1)).hasMessageContaining(full);
        assertThat(call(first, "PUT", "/v1/ids/a", uuid).statusCode()).isEqualTo(200);
        tenon.ranges().next("r", 1);
        other.ranges().next("r", 1);
        for (int i = 0; i < 3; i++) {
            other.ranges().next("t" + i, 1);
        }
        assertThatThrownBy(() -> other.ranges().next("s", 1)).hasMessageContaining(full);
    }
}
