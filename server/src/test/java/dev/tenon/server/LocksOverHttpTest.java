package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.server.TestClient.Answer;
import dev.tenon.testkit.Punctual;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** {@code /v1/sessions} and {@code /v1/locks}: what is refused first, then what works. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LocksOverHttpTest {
    /**
     * Longer than a machine that is busy may stand still, as are the leases, sessions and waits that must not end
     * meanwhile.
     */
    private static final long PATIENCE_SECONDS = 30;

    /** How late an answer may be where a lease or a session is to be used before its end, which comes soon. */
    private static final Duration IN_TIME = Duration.ofMillis(250);

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

    /** With a lock of its own each time. */
    private void judge(Punctual.Attempt attempt) throws Exception {
        Punctual.judge(IN_TIME, () -> client.fetch("/v1/locks/punctual"), () -> {
            lock += "-tried";
            attempt.run();
        });
    }

    private Answer acquire(String session, String more) {
        return client.post(lock + "/acquire", "{\"session\":\"" + session + "\"" + more + "}");
    }

    private CompletableFuture<HttpResponse<String>> waiting(String session, String more) {
        int before = queue().size();
        CompletableFuture<HttpResponse<String>> answer =
                client.send("POST", lock + "/acquire", "{\"session\":\"" + session + "\"" + more + "}");
        await().until(() -> answer.isDone() || queue().size() > before);
        return answer;
    }

    private long token(Answer held) {
        assertThat(held.status()).as(held.text()).isEqualTo(200);
        return held.json().path("token").asLong();
    }

    private Answer release(String session, long token) {
        return client.post(lock + "/release", "{\"session\":\"" + session + "\",\"token\":" + token + "}");
    }

    private JsonNode queue() {
        return client.fetch(lock).json().path("queue");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a%00b", "a%0Ab", "a%7F", "a%C2%85b", "%ED%A0%80", "%ff"})
    void aNameThatIsNoneIsRefused(String name) {
        Answer answer = client.post("/v1/locks/" + name + "/acquire", "{\"session\":\"" + session + "\"}");
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.problem()).isIn("bad-name", "bad-request");
        assertThat(client.fetch("/v1/locks/" + name).status()).isEqualTo(400);
        assertThat(client.fetch("/v1/locks/" + name + "/validate?token=1").status())
                .isEqualTo(400);
        assertThat(client.call("DELETE", "/v1/locks/" + name + "?reason=x", "").status())
                .isEqualTo(400);
    }

    @Test
    void aNameThatIsTooLongIsRefused() {
        String body = "{\"session\":\"" + session + "\"}";
        Answer answer = client.post("/v1/locks/" + "n".repeat(201) + "/acquire", body);
        assertThat(answer.problem()).isEqualTo("bad-name");
        assertThat(answer.detail()).contains("201").contains("200");
        assertThat(client.post("/v1/locks/" + "n".repeat(200) + "/acquire", body)
                        .status())
                .isEqualTo(200);
        assertThat(client.post("/v1/locks/" + "%E9%8E%96".repeat(200) + "/acquire", body)
                        .status())
                .isEqualTo(200);
    }

    @Test
    void anEncodedSlashIsPartOfTheName() {
        Answer held = client.post("/v1/locks/stock%2F42%3F/acquire", "{\"session\":\"" + session + "\"}");
        assertThat(held.json().path("name").asString()).isEqualTo("stock/42?");
        JsonNode page = client.fetch("/v1/locks?prefix=stock%2F4").json();
        assertThat(page.path("locks").path(0).path("name").asString()).isEqualTo("stock/42?");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                ",\"lease\":\"PT0S\"|lease",
                ",\"lease\":\"-PT5S\"|lease",
                ",\"lease\":\"PT25H\"|lease",
                ",\"lease\":\"P99999999D\"|lease",
                ",\"lease\":\"P9999999999999999999D\"|lease",
                ",\"lease\":\"5s\"|lease",
                ",\"lease\":\"\"|lease",
                ",\"lease\":\"PT0.0001S\"|lease",
                ",\"wait\":\"-PT1S\"|wait",
                ",\"wait\":\"PT25H\"|wait",
                ",\"wait\":\"soon\"|wait",
            })
    void aDurationThatIsNoneIsRefused(String more, String field) {
        Answer answer = acquire(session, more);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.problem()).isEqualTo("bad-duration");
        assertThat(answer.detail()).contains(field);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "-PT1S", "PT25H", "ten seconds", "PT0.0000001S"})
    void aTtlThatIsNoneIsRefused(String ttl) {
        Answer answer = client.post("/v1/sessions", "{\"ttl\":\"" + ttl + "\"}");
        assertThat(answer.problem()).isEqualTo("bad-duration");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}|session",
                "{\"session\":null}|session",
                "{\"session\":5}|session",
                "{\"session\":\"\"}|session",
                "{\"session\":\"s\",\"mode\":\"reading\"}|exclusive",
                "{\"session\":\"s\",\"mode\":\"permits\",\"permits\":2}|needs",
                "{\"session\":\"s\",\"mode\":\"permits\",\"permits\":3,\"max\":2}|3 of 2",
                "{\"session\":\"s\",\"mode\":\"shared\",\"permits\":1,\"max\":1}|neither",
                "{\"session\":\"s\",\"permits\":1}|permits",
                "{\"session\":\"s\",\"requestId\":\"\"}|requestId",
                "{\"session\":\"s\",\"wait\":5}|wait",
                "{\"session\":|column",
                "[1]|",
                "null|null",
            })
    void anAcquireThatMakesNoSenseIsRefused(String body, String named) {
        Answer answer = client.post(lock + "/acquire", body);
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(answer.problem()).isIn("bad-request", "malformed-json", "bad-name");
        assertThat(answer.detail()).contains(named == null ? "" : named);
    }

    @Test
    void anUnknownSessionIsRefused() {
        Answer answer = acquire("no-such-session", "");
        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.problem()).isEqualTo("unknown-session");
        assertThat(answer.detail()).contains("POST /v1/sessions");
        assertThat(client.post("/v1/sessions/no-such-session/keepalive", "").problem())
                .isEqualTo("unknown-session");
        assertThat(release("no-such-session", 1).problem()).isEqualTo("unknown-session");
        assertThat(client.post(lock + "/renew", "{\"session\":\"no-such-session\",\"token\":1}")
                        .problem())
                .isEqualTo("unknown-session");
        assertThat(client.call("DELETE", "/v1/sessions/no-such-session", "").status())
                .isEqualTo(204);
    }

    @Test
    void aWrongTokenNeitherReleasesNorRenews() {
        long token = token(acquire(session, ""));
        Answer released = release(session, token + 1);
        assertThat(released.status()).isEqualTo(409);
        assertThat(released.problem()).isEqualTo("lock-not-held");
        assertThat(released.detail()).contains("held by me under token " + token);
        assertThat(client.post(
                                lock + "/renew",
                                "{\"session\":\"" + session + "\",\"token\":" + (token - 1) + ",\"lease\":\"PT1M\"}")
                        .problem())
                .isEqualTo("lock-not-held");
        assertThat(release(session, token).json().path("released").asString()).isEqualTo("FREED");
        assertThat(release(session, token).problem()).isEqualTo("lock-not-held");
    }

    @Test
    void anotherSessionCannotUseAToken() {
        long token = token(acquire(session, ""));
        String other = client.session("other");
        assertThat(release(other, token).problem()).isEqualTo("lock-not-held");
        assertThat(client.post(lock + "/renew", "{\"session\":\"" + other + "\",\"token\":" + token + "}")
                        .problem())
                .isEqualTo("lock-not-held");
        assertThat(client.fetch(lock + "/validate?token=" + token)
                        .json()
                        .path("valid")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void aTokenIsValidWhileItHolds() {
        long token = token(acquire(session, ""));
        assertThat(client.fetch(lock + "/validate?token=" + token).text()).isEqualTo("{\"valid\":true}");
        for (long other : new long[] {token - 1, token + 32}) {
            assertThat(client.fetch(lock + "/validate?token=" + other).text()).isEqualTo("{\"valid\":false}");
        }
        release(session, token);
        assertThat(client.fetch(lock + "/validate?token=" + token).text()).isEqualTo("{\"valid\":false}");
        assertThat(client.fetch(lock + "/validate?token=x").problem()).isEqualTo("bad-request");
        assertThat(client.fetch(lock + "/validate").problem()).isEqualTo("bad-request");
    }

    @Test
    void tokensIncrease() {
        long last = 0;
        for (int i = 0; i < 20; i++) {
            long token = token(acquire(session, ""));
            assertThat(token).isGreaterThan(last);
            last = token;
            release(session, token);
        }
    }

    @Test
    void readersHoldTogetherAndAWriterWaitsForThem() throws Exception {
        String other = client.session("other");
        long first = token(acquire(session, ",\"mode\":\"shared\""));
        long second = token(acquire(other, ",\"mode\":\"shared\""));
        var writer = waiting(client.session("writer"), ",\"wait\":\"PT1M\"");
        JsonNode seen = client.fetch(lock).json();
        assertThat(seen.path("holders").size()).isEqualTo(2);
        assertThat(seen.path("holder").path("mode").asString()).isEqualTo("shared");
        assertThat(seen.path("queue").get(0).path("mode").asString()).isEqualTo("exclusive");
        release(session, first);
        assertThat(writer).isNotDone();
        release(other, second);
        assertThat(token(new Answer(200, writer.get(PATIENCE_SECONDS, TimeUnit.SECONDS))))
                .isGreaterThan(second);
    }

    @Test
    void permitsAreGivenOutUpToTheirNumber() {
        String other = client.session("other");
        long two = token(acquire(session, ",\"mode\":\"permits\",\"permits\":2,\"max\":3"));
        assertThat(acquire(other, ",\"mode\":\"permits\",\"permits\":2,\"max\":3")
                        .status())
                .isEqualTo(409);
        token(acquire(other, ",\"mode\":\"permits\",\"permits\":1,\"max\":3"));
        assertThat(client.fetch(lock).json().path("holder").path("permits").asInt())
                .isEqualTo(2);
        release(session, two);
        token(acquire(other, ",\"mode\":\"permits\",\"permits\":2,\"max\":3"));
    }

    @Test
    void whoDoesNotWaitIsToldTheHolder() {
        token(acquire(session, ",\"lease\":\"PT1M\""));
        Answer answer = acquire(client.session("other"), "");
        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.problem()).isEqualTo("lock-not-acquired");
        assertThat(answer.json().path("holder").path("owner").asString()).isEqualTo("me");
        assertThat(Duration.parse(answer.json().path("holder").path("leaseLeft").asString()))
                .isBetween(Duration.ofSeconds(30), Duration.ofMinutes(1));
    }

    @Test
    void whoWaitsInVainIsToldTheHolderAndLeavesTheQueue() {
        token(acquire(session, ""));
        long before = System.nanoTime();
        Answer answer = acquire(client.session("other"), ",\"wait\":\"PT0.3S\"");
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThanOrEqualTo(Duration.ofMillis(300));
        assertThat(answer.problem()).isEqualTo("lock-not-acquired");
        assertThat(answer.json().path("holder").path("owner").asString()).isEqualTo("me");
        assertThat(queue()).isEmpty();
    }

    @Test
    void aReleaseWakesTheWaiter() throws Exception {
        long token = token(acquire(session, ""));
        String other = client.session("other");
        var answer = waiting(other, ",\"wait\":\"PT1M\",\"lease\":\"PT1M\"");
        assertThat(release(session, token).json().path("released").asString()).isEqualTo("HANDED_OVER");
        HttpResponse<String> held = answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(held.statusCode()).isEqualTo(200);
        JsonNode holder = client.fetch(lock).json().path("holder");
        assertThat(holder.path("session").asString()).isEqualTo(other);
        assertThat(holder.path("token").asLong()).isGreaterThan(token);
        // Claimed: it is the lease that was asked for, not the short one of a hand-over.
        assertThat(Duration.parse(holder.path("leaseLeft").asString())).isGreaterThan(Duration.ofSeconds(30));
    }

    @Test
    void waitersAreServedInOrder() throws Exception {
        long token = token(acquire(session, ""));
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        List<String> sessions = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            sessions.add(client.session("waiter " + i));
            answers.add(waiting(sessions.get(i), ",\"wait\":\"PT1M\""));
        }
        release(session, token);
        for (int i = 0; i < 5; i++) {
            Answer held = new Answer(200, answers.get(i).get(PATIENCE_SECONDS, TimeUnit.SECONDS));
            long next = token(held);
            assertThat(next).isGreaterThan(token);
            token = next;
            assertThat(answers.stream().skip(i + 1)).noneMatch(CompletableFuture::isDone);
            release(sessions.get(i), token);
        }
    }

    @Test
    void theEndOfALeaseWakesTheWaiter() throws Exception {
        judge(() -> {
            token(acquire(session, ",\"lease\":\"PT0.3S\""));
            var answer = waiting(client.session("other"), ",\"wait\":\"PT1M\"");
            assertThat(answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS).statusCode())
                    .isEqualTo(200);
        });
    }

    @Test
    void theEndOfASessionWakesTheWaiterAndRefusesItsOwn() throws Exception {
        token(acquire(session, ""));
        String other = client.session("other");
        var first = waiting(other, ",\"wait\":\"PT1M\"");
        var second = waiting(client.session("third"), ",\"wait\":\"PT1M\"");
        assertThat(client.call("DELETE", "/v1/sessions/" + other, "").status()).isEqualTo(204);
        assertThat(new Answer(404, first.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).problem())
                .isEqualTo("unknown-session");
        client.call("DELETE", "/v1/sessions/" + session, "");
        assertThat(second.get(PATIENCE_SECONDS, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
    }

    @Test
    void aSessionThatIsNotKeptAliveLosesItsLocksAndItsPlace() throws Exception {
        judge(() -> {
            String brief = client.session("brief", "PT1S");
            token(acquire(brief, ""));
            var answer = waiting(session, ",\"wait\":\"PT1M\"");
            assertThat(answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS).statusCode())
                    .isEqualTo(200);
            assertThat(client.post("/v1/sessions/" + brief + "/keepalive", "").status())
                    .isEqualTo(404);
            String waiter = client.session("brief waiter", "PT1S");
            var inVain = waiting(waiter, ",\"wait\":\"PT1M\"");
            assertThat(new Answer(404, inVain.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).problem())
                    .isEqualTo("unknown-session");
        });
    }

    @Test
    void keepAliveKeepsALockWithoutALeaseOfItsOwn() throws Exception {
        judge(() -> {
            String brief = client.session("brief", "PT2S");
            long token = token(acquire(brief, ""));
            long until = System.nanoTime() + Duration.ofSeconds(3).toNanos();
            await().pollInterval(Duration.ofMillis(200)).until(() -> {
                assertThat(client.post("/v1/sessions/" + brief + "/keepalive", "")
                                .status())
                        .isEqualTo(204);
                return System.nanoTime() - until > 0;
            });
            assertThat(client.fetch(lock + "/validate?token=" + token).text()).isEqualTo("{\"valid\":true}");
        });
    }

    @Test
    void aRepeatedRequestIsTheSameRequest() throws Exception {
        String request = ",\"requestId\":\"r-" + session + "\",\"lease\":\"PT1M\"";
        long token = token(acquire(session, request));
        assertThat(token(acquire(session, request))).isEqualTo(token);
        String other = client.session("other");
        String wait = ",\"wait\":\"PT1M\",\"requestId\":\"w-" + other + "\"";
        var first = waiting(other, wait);
        var second = client.send("POST", lock + "/acquire", "{\"session\":\"" + other + "\"" + wait + "}");
        var foreign = acquire(other, wait + ",\"lease\":\"PT3S\"");
        assertThat(foreign.problem()).isEqualTo("request-id-reused");
        assertThat(queue()).hasSize(1);
        release(session, token);
        long granted = token(new Answer(200, first.get(PATIENCE_SECONDS, TimeUnit.SECONDS)));
        assertThat(token(new Answer(200, second.get(PATIENCE_SECONDS, TimeUnit.SECONDS))))
                .isEqualTo(granted);
        assertThat(token(acquire(other, wait))).isEqualTo(granted);
    }

    @Test
    void aClientThatGoesAwayLeavesTheQueue() throws Exception {
        long token = token(acquire(session, ""));
        var gone = waiting(client.session("gone"), ",\"wait\":\"PT1M\"");
        var next = waiting(client.session("next"), ",\"wait\":\"PT1M\"");
        gone.cancel(true);
        await().until(() -> queue().size() == 1);
        release(session, token);
        assertThat(next.get(PATIENCE_SECONDS, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
    }

    @Test
    void aRepeatKeepsTheRequestOfAClientThatLostItsConnection() throws Exception {
        long token = token(acquire(session, ""));
        String other = client.session("other");
        String wait = ",\"wait\":\"PT1M\",\"requestId\":\"again-" + other + "\"";
        var lost = waiting(other, wait);
        var again = client.send("POST", lock + "/acquire", "{\"session\":\"" + other + "\"" + wait + "}");
        // Joined once another request of the same ID is refused for its lease by name of the waiting one.
        await().until(() -> acquire(other, wait + ",\"lease\":\"PT3S\"").status() == 409);
        lost.cancel(true);
        release(session, token);
        assertThat(again.get(PATIENCE_SECONDS, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
    }

    @Test
    void renewSetsTheLease() {
        long token = token(acquire(session, ",\"lease\":\"PT40S\""));
        Answer renewed = client.post(
                lock + "/renew", "{\"session\":\"" + session + "\",\"token\":" + token + ",\"lease\":\"PT1M\"}");
        assertThat(renewed.json().path("lease").asString()).isEqualTo("PT1M");
        JsonNode holder = client.fetch(lock).json().path("holder");
        assertThat(Duration.parse(holder.path("leaseLeft").asString())).isGreaterThan(Duration.ofSeconds(45));
    }

    @Test
    void aForcedReleaseVoidsTheTokenAndNeedsAReason() throws Exception {
        long token = token(acquire(session, ""));
        var next = waiting(client.session("next"), ",\"wait\":\"PT1M\"");
        assertThat(client.call("DELETE", lock, "").status()).isEqualTo(400);
        assertThat(client.call("DELETE", lock + "?reason=stuck&token=" + (token + 32), "")
                        .problem())
                .isEqualTo("lock-not-held");
        Answer evicted = client.call("DELETE", lock + "?reason=stuck%20for%20hours", "");
        assertThat(evicted.json().path("owner").asString()).isEqualTo("me");
        assertThat(evicted.json().path("token").asLong()).isEqualTo(token);
        long granted = token(new Answer(200, next.get(PATIENCE_SECONDS, TimeUnit.SECONDS)));
        assertThat(granted).isGreaterThan(evicted.json().path("floor").asLong());
        assertThat(release(session, token).problem()).isEqualTo("lock-not-held");
        assertThat(client.call("DELETE", "/v1/locks/nobody-has-this?reason=x", "")
                        .problem())
                .isEqualTo("lock-not-held");
    }

    @Test
    void aFreeLockIsShownAsFree() {
        Answer free = client.fetch(lock);
        assertThat(free.status()).isEqualTo(200);
        assertThat(free.json().path("held").asBoolean()).isFalse();
        assertThat(free.json().path("queue")).isEmpty();
    }

    @Test
    void locksAreListedByPrefixInPages() {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            names.add("page:" + i);
            client.post("/v1/locks/page%3A" + i + "/acquire", "{\"session\":\"" + session + "\"}");
        }
        List<String> seen = new ArrayList<>();
        String after = "";
        do {
            JsonNode page = client.fetch("/v1/locks?prefix=page%3A&limit=2&after=" + after)
                    .json();
            page.path("locks").forEach(l -> seen.add(l.path("name").asString()));
            after = page.path("next").asString("").replace(":", "%3A");
        } while (!after.isEmpty());
        assertThat(seen).isEqualTo(names);
        assertThat(client.fetch("/v1/locks?limit=0").problem()).isEqualTo("bad-request");
        assertThat(client.fetch("/v1/locks?limit=1001").problem()).isEqualTo("bad-request");
        assertThat(client.fetch("/v1/locks?prefix=%00").problem()).isEqualTo("bad-name");
    }

    @Test
    void aNodeThatStopsTellsItsWaiters() throws Exception {
        Node stopping = Node.start(NodeOptions.at("127.0.0.1", 0), new MemoryServerBackend());
        TestClient its = new TestClient(stopping.port());
        String one = its.session("one");
        its.post("/v1/locks/a/acquire", "{\"session\":\"" + one + "\"}");
        var answer = its.send(
                "POST", "/v1/locks/a/acquire", "{\"session\":\"" + its.session("two") + "\",\"wait\":\"PT1M\"}");
        await().until(() -> its.fetch("/v1/locks/a").json().path("queue").size() == 1);
        stopping.close();
        HttpResponse<String> told = answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(new Answer(told.statusCode(), told).problem()).isEqualTo("stopping");
        assertThat(told.headers().firstValue("Retry-After")).isPresent();
    }
}
