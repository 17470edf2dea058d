package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.memory.MemoryBackend;
import dev.tenon.server.Participant.Said;
import dev.tenon.server.TestClient.Answer;
import dev.tenon.server.access.ApiKey;
import dev.tenon.server.access.ApiKeys;
import dev.tenon.server.access.Audit;
import dev.tenon.server.access.KeyGate;
import dev.tenon.server.access.LimitedResource;
import dev.tenon.server.access.Limits;
import dev.tenon.server.access.Limits.Share;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.access.Right;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionState;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code POST /v1/transactions/{gid}/close}: who may give a transaction up, which, and what is told of it. */
class TransactionCloseOverHttpTest {
    private static final ApiKey.Fresh OPS = ApiKey.fresh(new SecureRandom());
    private static final ApiKey.Fresh SHOP = ApiKey.fresh(new SecureRandom());
    private static final ApiKey.Fresh BANK = ApiKey.fresh(new SecureRandom());
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String MENDED = "{\"reason\":\"refunded by hand, ticket 4711\"}";

    private final MemoryBackend memory = MemoryBackend.create();
    private final LoggedTransactions log = new LoggedTransactions(memory.transactions());
    private final Queue<Audit.Deed> deeds = new ConcurrentLinkedQueue<>();
    private final Participant shop = new Participant();
    private Node node;
    private TestClient client;

    @BeforeEach
    void start() {
        ApiKeys keys = new ApiKeys(List.of(
                key(OPS, "ops", Right.ADMIN, ""),
                key(SHOP, "shop", Right.USE, ""),
                key(BANK, "bank", Right.ADMIN, "bank-")));
        node = Node.start(
                NodeOptions.at("127.0.0.1", 0)
                        .withGate(new KeyGate(() -> keys))
                        .withProtection(Protection.DEFAULT
                                .withAudit(deeds::add)
                                .withLimits(Limits.DEFAULT.with(LimitedResource.TRANSACTIONS, new Share(100, 1)))),
                new MemoryServerBackend(memory));
        client = new TestClient(node.port());
    }

    @AfterEach
    void stop() {
        node.close();
        shop.close();
    }

    private static ApiKey key(ApiKey.Fresh fresh, String name, Right role, String prefix) {
        return new ApiKey(
                fresh.id(),
                name,
                role,
                Set.of(Scope.IDS, Scope.LOCKS, Scope.TRANSACTIONS),
                List.of(prefix),
                new ApiKey.Proof.Secret(fresh.sha256()),
                Instant.EPOCH,
                "test");
    }

    private Answer call(ApiKey.Fresh key, String method, String path, String body) {
        return client.call(method, "/v1/transactions" + path, body, "Authorization", "Bearer " + key.text());
    }

    private Answer close(ApiKey.Fresh key, String gid) {
        return call(key, "POST", "/" + gid + "/close", MENDED);
    }

    private Answer begin(String gid, boolean waits) {
        return call(
                SHOP,
                "POST",
                "",
                ("{'gid':'" + gid + "','kind':'saga','wait':" + waits + ",'steps':["
                                + "{'name':'a','action':'$/a','compensate':'$/undo'},{'name':'b','action':'$/never'}]}")
                        .replace('\'', '"')
                        .replace("$", shop.url("")));
    }

    @Test
    void whatTheServerDrivesIsGivenUpWithItsBranchesAsTheyAre() {
        shop.answers("/never", 409).answers("/undo", (call, n) -> new Said(409, "account closed"));
        assertThat(begin("order-1", true).json().path("suspended").asString()).contains("account closed");
        Answer closed = close(OPS, "order-1");
        assertThat(closed.status()).as(closed.text()).isEqualTo(200);
        assertThat(closed.json().path("state").asString()).isEqualTo("CLOSED");
        assertThat(closed.json().path("closed").asString()).isEqualTo("closed by ops: refunded by hand, ticket 4711");
        assertThat(closed.json().has("suspended")).isFalse();
        assertThat(closed.json().path("endedAt").asString()).isNotEmpty();
        assertThat(closed.json().path("branches").get(0).path("state").asString())
                .isEqualTo("STUCK");
        assertThat(call(OPS, "GET", "/order-1", "").json().path("history").toString())
                .contains("\"closed\"", "\"left\"", "a STUCK", "account closed");
        assertThat(call(OPS, "GET", "?stuck=true", "").text()).doesNotContain("order-1");
        assertThat(call(OPS, "GET", "?state=closed&error=ticket%204711", "").text())
                .contains("order-1");
        assertThat(deeds)
                .extracting(d -> d.what() + " " + d.who() + " " + d.on() + " "
                        + d.more().get("state") + " " + d.more().get("why"))
                .containsExactly("transaction-closed ops order-1 CLOSED refunded by hand, ticket 4711");
        int calls = shop.paths("order-1").size();
        for (String word : List.of("retry", "resume", "suspend")) {
            assertThat(call(OPS, "POST", "/order-1/" + word, MENDED)
                            .json()
                            .path("state")
                            .asString())
                    .isEqualTo("CLOSED");
        }
        assertThat(call(OPS, "POST", "/order-1/abort", MENDED).problem()).isEqualTo("transaction-conflict");
        assertThat(shop.paths("order-1")).hasSize(calls);
    }

    @Test
    void theTransactionOfAnotherServiceIsGivenUp() {
        log.stuck("bank-1", "answered 500");
        assertThat(close(BANK, "bank-1").json().path("state").asString()).isEqualTo("CLOSED");
        assertThat(memory.transactions().find(new TransactionId("bank-1")).orElseThrow())
                .satisfies(tx -> assertThat(tx.state()).isEqualTo(TransactionState.CLOSED))
                .satisfies(tx -> assertThat(tx.stuckAt()).isEmpty());
        assertThat(memory.transactions().history(new TransactionId("bank-1")))
                .extracting(TransactionEvent::what)
                .containsExactly("closed", "left");
    }

    @Test
    void oneThatIsClosedStaysAsItIs() {
        log.suspended("bank-1", "who sent this?");
        Answer first = close(BANK, "bank-1");
        Answer second = call(OPS, "POST", "/bank-1/close", "{\"reason\":\"again\"}");
        assertThat(second.status()).isEqualTo(200);
        assertThat(second.text()).isEqualTo(first.text());
        assertThat(memory.transactions().history(new TransactionId("bank-1"))).hasSize(2);
    }

    @Test
    void whatHasEndedOrMayStillGoOnIsNotGivenUp() {
        log.active("bank-active");
        log.ended("bank-committed", TransactionState.COMMITTED);
        log.ended("bank-aborted", TransactionState.ABORTED);
        for (String gid : List.of("bank-active", "bank-committed", "bank-aborted")) {
            Answer refused = close(OPS, gid);
            assertThat(refused.problem()).as(gid).isEqualTo("transaction-conflict");
            assertThat(refused.detail()).contains(gid);
        }
        assertThat(close(OPS, "bank-active").detail()).contains("abort or suspend it first");
        assertThat(close(OPS, "bank-none").problem()).isEqualTo("unknown-transaction");
        assertThat(deeds).isEmpty();
    }

    @Test
    void onlyAnAdministratorOfItsNameGivesUp() {
        log.suspended("bank-1", "why");
        log.suspended("order-1", "why");
        assertThat(close(SHOP, "bank-1").problem()).isEqualTo("forbidden");
        assertThat(close(BANK, "order-1").problem()).isEqualTo("forbidden");
        assertThat(client.post("/v1/transactions/bank-1/close", MENDED).status())
                .isEqualTo(401);
        assertThat(deeds).noneMatch(d -> d.what().equals("transaction-closed"));
        assertThat(memory.transactions()
                        .find(new TransactionId("bank-1"))
                        .orElseThrow()
                        .suspended())
                .contains("why");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{}", "{\"reason\":null}", "{\"reason\":\"\"}", "{\"reason\":\" \\t\"}"})
    void aReasonIsNeeded(String body) {
        log.suspended("bank-1", "why");
        Answer refused = call(OPS, "POST", "/bank-1/close", body);
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.detail()).contains("reason");
        assertThat(deeds).isEmpty();
    }

    @Test
    void whoWaitsForItsEndIsAnswered() {
        shop.answers("/never", 409).answers("/undo", 500);
        var waiting = client.send(
                "POST",
                "/v1/transactions",
                ("{'gid':'order-2','kind':'saga','wait':true,'steps':["
                                + "{'name':'a','action':'$/a','compensate':'$/undo'},{'name':'b','action':'$/never'}]}")
                        .replace('\'', '"')
                        .replace("$", shop.url("")),
                "Authorization",
                "Bearer " + SHOP.text());
        await().atMost(PATIENCE)
                .until(() -> call(OPS, "GET", "/order-2", "").text().contains("answered 500"));
        assertThat(close(OPS, "order-2").json().path("state").asString()).isEqualTo("CLOSED");
        assertThat(waiting.join().body()).contains("\"state\":\"CLOSED\"");
    }

    @Test
    void itsPlaceInTheQuotaIsFree() {
        shop.answers("/never", 409).answers("/undo", 409);
        begin("order-3", true);
        assertThat(begin("order-4", false).problem()).isEqualTo("too-many-transactions");
        assertThat(close(OPS, "order-3").status()).isEqualTo(200);
        assertThat(begin("order-4", false).status()).isEqualTo(200);
    }

    @Test
    void theMetricsTellHowManyAreStuckAndSuspendedUntilTheyAreClosed() {
        log.suspended("bank-1", "why");
        log.stuck("bank-2", "answered 500");
        awaitMetric("tenon_transactions_stuck", 2);
        awaitMetric("tenon_transactions_suspended", 1);
        close(OPS, "bank-1");
        close(OPS, "bank-2");
        awaitMetric("tenon_transactions_stuck", 0);
        awaitMetric("tenon_transactions_suspended", 0);
        assertThat(metrics()).contains("tenon_transaction_events_total{event=\"closed\",kind=\"saga\"} 2");
    }

    private void awaitMetric(String name, int value) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(metrics()).contains("\n" + name + " " + value + "\n"));
    }

    private String metrics() {
        return client.call("GET", "/metrics", "", "Authorization", "Bearer " + OPS.text())
                .text()
                .replaceAll("(?m)\\.0$", "");
    }
}
