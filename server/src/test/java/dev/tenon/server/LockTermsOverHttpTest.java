package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.server.TestClient.Answer;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/**
 * What an acquire over HTTP may say beside its mode: conversions, lock-delay, order; and wishes that a holder let go.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LockTermsOverHttpTest {
    private Node node;
    private TestClient client;
    private String lock = "";
    private String session = "";

    @BeforeAll
    void start() {
        node = Node.start(NodeOptions.at("127.0.0.1", 0), new MemoryServerBackend());
        client = new TestClient(node.port());
    }

    @AfterAll
    void stop() {
        node.close();
    }

    @BeforeEach
    void fresh(TestInfo test) {
        lock = "/v1/locks/" + test.getTestMethod().orElseThrow().getName();
        session = client.session("me");
    }

    private static String body(String session, String more) {
        return "{\"session\":\"" + session + "\"" + more + "}";
    }

    private Answer acquire(String session, String more) {
        return client.post(lock + "/acquire", body(session, more));
    }

    private CompletableFuture<HttpResponse<String>> waiting(String session, String more) {
        var answer = client.send("POST", lock + "/acquire", body(session, more + ",\"wait\":\"PT1M\""));
        await().until(() -> client.fetch(lock).json().path("queue").size() == 1);
        return answer;
    }

    private static long token(Answer held) {
        assertThat(held.status()).as(held.text()).isEqualTo(200);
        return held.json().path("token").asLong();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ",\"lockDelay\":\"PT-1S\"",
                ",\"lockDelay\":\"PT2H\"",
                ",\"lockDelay\":\"soon\"",
                ",\"fair\":\"no\"",
                ",\"converts\":\"x\""
            })
    void termsThatAreNoneAreRefused(String more) {
        assertThat(acquire(session, more).status()).isEqualTo(400);
        assertThat(client.fetch(lock).json().path("held").asBoolean()).isFalse();
    }

    @Test
    void onlyTheHolderConverts() {
        long update = token(acquire(session, ",\"mode\":\"update\""));
        String other = client.session("other");
        assertThat(acquire(other, ",\"converts\":" + update).problem()).isEqualTo("lock-not-held");
        assertThat(acquire(session, ",\"converts\":" + (update + 1)).problem()).isEqualTo("lock-not-held");
        assertThat(client.fetch(lock + "/validate?token=" + update)
                        .json()
                        .path("valid")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void anUpdaterBecomesTheWriterWhenTheReadersHaveLeftAndAReaderAgain() throws Exception {
        String reader = client.session("reader");
        long read = token(acquire(reader, ",\"mode\":\"shared\""));
        long update = token(acquire(session, ",\"mode\":\"update\""));
        assertThat(acquire(session, ",\"converts\":" + update).problem()).isEqualTo("lock-not-acquired");
        var upgrade = waiting(session, ",\"requestId\":\"up-" + update + "\",\"converts\":" + update);
        client.post(lock + "/release", body(reader, ",\"token\":" + read));
        long write = token(new Answer(200, upgrade.get(30, TimeUnit.SECONDS)));
        assertThat(write).isGreaterThan(update);
        assertThat(token(acquire(session, ",\"requestId\":\"up-" + update + "\",\"converts\":" + update)))
                .as("repeated after a lost answer")
                .isEqualTo(write);
        JsonNode seen = client.fetch(lock).json();
        assertThat(seen.path("holders").size()).isEqualTo(1);
        assertThat(seen.path("holder").path("mode").asString()).isEqualTo("exclusive");
        long again = token(acquire(session, ",\"mode\":\"shared\",\"converts\":" + write));
        assertThat(again).isGreaterThan(write);
        token(acquire(reader, ",\"mode\":\"shared\""));
    }

    @Test
    void whoIsUnfairOvertakesThoseWhoWait() {
        long first = token(acquire(session, ",\"mode\":\"shared\""));
        var writer = waiting(client.session("writer"), "");
        String reader = client.session("reader");
        assertThat(acquire(reader, ",\"mode\":\"shared\"").problem()).isEqualTo("lock-not-acquired");
        assertThat(token(acquire(reader, ",\"mode\":\"shared\",\"fair\":false")))
                .isGreaterThan(first);
        assertThat(writer).isNotDone();
    }

    @Test
    void aLockDelayKeepsALockShutAfterALeaseThatRanOut() {
        token(acquire(session, ",\"lease\":\"PT0.1S\",\"lockDelay\":\"PT1M\""));
        await().until(() -> !client.fetch(lock).json().path("held").asBoolean());
        assertThat(acquire(client.session("next"), "").problem()).isEqualTo("lock-not-acquired");
    }

    @Test
    void aHolderIsToldThatItsLockIsWanted() {
        assertThat(client.post(lock + "/revoke", "{\"by\":\"ops\"}")
                        .json()
                        .path("asked")
                        .asInt())
                .isZero();
        long token = token(acquire(session, ""));
        assertThat(client.post(lock + "/revoke", "{}").status()).isEqualTo(400);
        assertThat(client.post(lock + "/revoke", "{\"by\":\"ops\"}")
                        .json()
                        .path("asked")
                        .asInt())
                .isEqualTo(1);
        assertThat(client.post(lock + "/renew", body(session, ",\"token\":" + token))
                        .json()
                        .path("revokedBy")
                        .asString())
                .isEqualTo("ops");
        assertThat(client.fetch(lock).json().path("holder").path("revokedBy").asString())
                .isEqualTo("ops");
    }
}
