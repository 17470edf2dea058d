package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.server.Participant.Said;
import dev.tenon.server.TestClient.Answer;
import dev.tenon.testkit.PunctualScenario;
import dev.tenon.tx.notify.WebhookSignature;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each kind of transaction over HTTP, with participants that answer everything there is to answer. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.CONCURRENT)
class TransactionsOverHttpTest implements PunctualScenario {
    private static final String SECRET = "whsec_" + "c2VjcmV0".repeat(4);
    private static final String OTHER_SECRET = "whsec_" + "b3RoZXIx".repeat(4);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private Node node;
    private TestClient client;
    private Participant shop;

    @BeforeAll
    void start() {
        Map<String, WebhookSignature> secrets = Map.of("orders-hook", WebhookSignature.of(SECRET));
        node = Node.start(
                NodeOptions.at("127.0.0.1", 0)
                        .withProtection(Protection.DEFAULT.withSecrets(name -> Optional.ofNullable(secrets.get(name)))),
                new MemoryServerBackend());
        client = new TestClient(node.port());
        shop = new Participant();
    }

    @AfterAll
    void stop() {
        node.close();
        shop.close();
    }

    @Override
    public Duration inTime() {
        return Duration.ofMillis(500);
    }

    @Override
    public Object askStore() {
        return client.fetch("/v1/transactions/punctual");
    }

    /** Each has a transaction of its own, and what a participant has answered is counted for each. */
    @Override
    public void startAnew() {}

    private static String gid() {
        return "t-" + UUID.randomUUID();
    }

    private Answer begin(String body) {
        return client.post("/v1/transactions", body.replace('\'', '"').replace("$", shop.url("")));
    }

    private Answer act(String gid, String what) {
        return client.post("/v1/transactions/" + gid + "/" + what, "{\"reason\":\"told so\"}");
    }

    private Answer show(String gid) {
        return client.fetch("/v1/transactions/" + gid);
    }

    private static String state(Answer answer) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return answer.json().path("state").asString();
    }

    private void awaitState(String gid, String state) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(state(show(gid))).isEqualTo(state));
    }

    private static String branches(Answer answer) {
        StringBuilder text = new StringBuilder();
        answer.json()
                .path("branches")
                .forEach(b -> text.append(b.path("name").asString())
                        .append('=')
                        .append(b.path("state").asString())
                        .append(' '));
        return text.toString().strip();
    }

    @Test
    void aSagaRunsItsStepsOneAfterTheOther() {
        String gid = gid();
        Answer ended = begin("{'gid':'" + gid + "','kind':'saga','wait':true,'steps':["
                + "{'name':'stock','action':'$/a','compensate':'$/a-','payload':{'sku':1.10,'n':[1,null,'x']}},"
                + "{'name':'card','action':'$/b','payload':'pay'},{'name':'mail','action':'$/c'}]}");
        assertThat(state(ended)).isEqualTo("COMMITTED");
        assertThat(branches(ended)).isEqualTo("stock=DONE card=DONE mail=DONE");
        assertThat(shop.paths(gid)).containsExactly("/a", "/b", "/c");
        var calls = shop.calls().stream().filter(c -> c.gid().equals(gid)).toList();
        assertThat(calls.get(0).branch()).isEqualTo("stock");
        assertThat(calls.get(0).operation()).isEqualTo("action");
        assertThat(calls.get(0).body()).isEqualTo("{\"sku\":1.10,\"n\":[1,null,\"x\"]}");
        assertThat(calls.get(0).header("Content-type")).isEqualTo("application/json");
        assertThat(calls.get(1).body()).isEqualTo("\"pay\"");
        assertThat(calls.get(2).body()).isEmpty();
        assertThat(calls.get(2).header("Content-type")).isEmpty();
    }

    @Test
    void stepsThatDependOnNothingRunAtTheSameTime() {
        CyclicBarrier both = new CyclicBarrier(2);
        shop.answers("/left", (call, n) -> meet(both)).answers("/right", (call, n) -> meet(both));
        String gid = gid();
        Answer ended = begin("{'gid':'" + gid + "','kind':'saga','wait':true,'steps':["
                + "{'name':'l','action':'$/left','after':[]},{'name':'r','action':'$/right','after':[]},"
                + "{'name':'end','action':'$/end','after':['l','r']}]}");
        assertThat(state(ended)).isEqualTo("COMMITTED");
        assertThat(shop.paths(gid)).hasSize(3).endsWith("/end");
    }

    private static Said meet(CyclicBarrier both) throws Exception {
        both.await(20, TimeUnit.SECONDS);
        return new Said(200, "");
    }

    @Test
    void aRefusedStepTurnsTheSagaBackInReverseOrder() {
        shop.answers("/no", (call, n) -> new Said(409, "sold out"));
        String gid = gid();
        Answer ended = begin("{'gid':'" + gid + "','kind':'saga','wait':true,'steps':["
                + "{'name':'a','action':'$/a','compensate':'$/a-'},{'name':'b','action':'$/b','compensate':'$/b-'},"
                + "{'name':'c','action':'$/no','compensate':'$/c-'},{'name':'d','action':'$/d'}]}");
        assertThat(state(ended)).isEqualTo("ABORTED");
        assertThat(shop.paths(gid)).containsExactly("/a", "/b", "/no", "/b-", "/a-");
        assertThat(branches(ended)).isEqualTo("a=UNDONE b=UNDONE c=REFUSED d=PLANNED");
        assertThat(ended.json().path("branches").get(2).path("lastError").asString())
                .isEqualTo("refused: sold out");
    }

    @ParameterizedTest
    @CsvSource({
        "425, not yet: later",
        "500, answered 500: later",
        "302, 'answered 302, and redirects are not followed: later'"
    })
    void anyOtherAnswerIsAskedAgain(int status, String error) {
        String path = "/again" + status;
        AtomicBoolean seen = new AtomicBoolean();
        AtomicInteger calls = new AtomicInteger();
        shop.answers(path, (call, n) -> {
            calls.incrementAndGet();
            return seen.get() ? new Said(200, "{\"ok\":1}") : new Said(status, "later");
        });
        String gid = gid();
        Answer begun = begin("{'gid':'" + gid + "','kind':'saga','steps':[{'name':'a','action':'$" + path + "'}]}");
        assertThat(state(begun)).isEqualTo("ACTIVE");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(show(gid)
                                .json()
                                .path("branches")
                                .get(0)
                                .path("lastError")
                                .asString())
                        .isEqualTo(error));
        seen.set(true);
        awaitState(gid, "COMMITTED");
        Answer ended = show(gid);
        assertThat(ended.json().path("branches").get(0).path("attempts").asInt())
                .isGreaterThan(1)
                .isEqualTo(calls.get());
        assertThat(ended.json().path("branches").get(0).path("result").asString())
                .isEqualTo("{\"ok\":1}");
    }

    @Test
    void nobodyThereIsAskedAgainAndTheDeadlineTurnsBack() {
        String gid = gid();
        Answer ended = begin("{'gid':'" + gid + "','kind':'saga','deadline':'PT0.3S','steps':["
                + "{'name':'a','action':'http://127.0.0.1:1/a'}]}");
        assertThat(state(ended)).isEqualTo("ACTIVE");
        awaitState(gid, "ABORTED");
        assertThat(show(gid).json().path("history").toString()).contains("deadline");
    }

    @Test
    void whoWaitsIsAnsweredWhenTheDeadlineHasPassed() {
        CountDownLatch free = new CountDownLatch(1);
        shop.answers("/slow", (call, n) -> {
            free.await(20, TimeUnit.SECONDS);
            return new Said(200, "");
        });
        String gid = gid();
        Answer late = begin("{'gid':'" + gid + "','kind':'saga','deadline':'PT0.3S','wait':true,'steps':["
                + "{'name':'a','action':'$/slow','compensate':'$/slow-'}]}");
        assertThat(state(late)).isIn("ACTIVE", "ABORTING");
        free.countDown();
        await().atMost(PATIENCE).until(() -> !state(show(gid)).matches("ACTIVE|ABORTING"));
    }

    @Test
    void theSameBodyAgainIsTheSameTransactionAndAnotherIsRefused() {
        String gid = gid();
        String body =
                "{'gid':'" + gid + "','kind':'saga','wait':true,'steps':[{'name':'a','action':'$/once','payload':1}]}";
        assertThat(state(begin(body))).isEqualTo("COMMITTED");
        assertThat(state(begin(body.replace("'wait':true,", "'deadline':'PT30S',"))))
                .isEqualTo("COMMITTED");
        assertThat(shop.paths(gid)).containsExactly("/once");
        for (String other : List.of(
                body.replace("'payload':1", "'payload':2"),
                body.replace("/once", "/twice"),
                body.replace("'wait'", "'deadline':'PT5S','wait'"))) {
            Answer refused = begin(other);
            assertThat(refused.status()).isEqualTo(409);
            assertThat(refused.problem()).isEqualTo("transaction-conflict");
        }
        assertThat(shop.paths(gid)).containsExactly("/once");
    }

    @Test
    void anIdIsMadeWhereNoneIsGiven() {
        Answer one = begin("{'kind':'saga','steps':[{'name':'a','action':'$/a'}]}");
        assertThat(one.json().path("gid").asString()).hasSizeGreaterThan(30);
    }

    @Test
    void reservationsAreConfirmedWhenAllAreMade() {
        String gid = gid();
        Answer ended = begin("{'gid':'" + gid + "','kind':'tcc','wait':true,'branches':["
                + "{'name':'card','try':'$/t1','confirm':'$/c1','cancel':'$/x1','payload':7},"
                + "{'name':'seat','try':'$/t2','confirm':'$/c2','cancel':'$/x2'}]}");
        assertThat(state(ended)).isEqualTo("COMMITTED");
        assertThat(branches(ended)).isEqualTo("card=CONFIRMED seat=CONFIRMED");
        assertThat(shop.paths(gid)).containsExactlyInAnyOrder("/t1", "/t2", "/c1", "/c2");
    }

    @Test
    void reservationsAreCancelledWhenOneIsRefused() {
        shop.answers("/full", 409);
        String gid = gid();
        Answer ended = begin("{'gid':'" + gid + "','kind':'tcc','wait':true,'branches':["
                + "{'name':'card','try':'$/t1','confirm':'$/c1','cancel':'$/x1'},"
                + "{'name':'seat','try':'$/full','confirm':'$/c2','cancel':'$/x2'}]}");
        assertThat(state(ended)).isEqualTo("ABORTED");
        assertThat(branches(ended)).isEqualTo("card=UNDONE seat=REFUSED");
        assertThat(shop.paths(gid)).containsExactlyInAnyOrder("/t1", "/full", "/x1");
    }

    @Test
    void whoReservesHimselfCommitsOrAborts() {
        String body = "{'gid':'G','kind':'tcc','branches':[{'name':'card','confirm':'$/c1','cancel':'$/x1'}]}";
        String good = gid();
        assertThat(state(begin(body.replace("G", good)))).isEqualTo("ACTIVE");
        assertThat(state(act(good, "commit"))).isEqualTo("COMMITTING");
        awaitState(good, "COMMITTED");
        assertThat(shop.paths(good)).containsExactly("/c1");
        String bad = gid();
        begin(body.replace("G", bad));
        assertThat(state(act(bad, "abort"))).isEqualTo("ABORTING");
        awaitState(bad, "ABORTED");
        assertThat(shop.paths(bad)).containsExactly("/x1");
        assertThat(act(bad, "commit").problem()).isEqualTo("transaction-aborted");
        assertThat(act(good, "abort").problem()).isEqualTo("transaction-conflict");
    }

    @Test
    void reservationsThatAreUnderWayCantBeCommitted() {
        shop.answers("/busy", 500);
        String gid = gid();
        begin("{'gid':'" + gid + "','kind':'tcc','branches':["
                + "{'name':'card','try':'$/busy','confirm':'$/c1','cancel':'$/x1'}]}");
        Answer refused = act(gid, "commit");
        assertThat(refused.problem()).isEqualTo("transaction-conflict");
        act(gid, "abort");
        awaitState(gid, "ABORTED");
    }

    @Test
    void aMessageIsDeliveredToEachTargetUntilItTakesIt() {
        shop.answers("/points", (call, n) -> new Said(n < 2 ? 503 : 200, ""));
        String gid = gid();
        Answer ended = begin("{'gid':'" + gid + "','kind':'message','wait':true,'targets':["
                + "{'name':'points','url':'$/points','payload':{'n':5}},{'name':'mail','url':'$/mail'}]}");
        assertThat(state(ended)).isEqualTo("COMMITTED");
        assertThat(shop.paths(gid)).containsExactlyInAnyOrder("/points", "/points", "/mail");
        assertThat(shop.calls().stream().filter(c -> c.gid().equals(gid)).map(Participant.Call::operation))
                .containsOnly("deliver");
    }

    @Test
    void aPreparedMessageWaitsForTheSendersWord() {
        String body = "{'gid':'G','kind':'message','prepared':true,'targets':[{'name':'points','url':'$/p'}]}";
        String good = gid();
        assertThat(state(begin(body.replace("G", good)))).isEqualTo("ACTIVE");
        assertThat(shop.paths(good)).isEmpty();
        act(good, "submit");
        awaitState(good, "COMMITTED");
        assertThat(shop.paths(good)).containsExactly("/p");
        String bad = gid();
        begin(body.replace("G", bad));
        act(bad, "abort");
        awaitState(bad, "ABORTED");
        assertThat(shop.paths(bad)).isEmpty();
        assertThat(act(bad, "submit").problem()).isEqualTo("transaction-aborted");
        // The same, but submitted from the beginning, is another.
        assertThat(begin(body.replace("G", good).replace("'prepared':true,", ""))
                        .problem())
                .isEqualTo("transaction-conflict");
    }

    @ParameterizedTest
    @CsvSource({"200, COMMITTED", "409, ABORTED"})
    void pastItsDeadlineTheSenderOfAPreparedMessageIsAsked(int status, String end) {
        String path = "/asked" + status;
        shop.answers(path, (call, n) -> new Said(n < 2 ? 425 : status, ""));
        String gid = gid();
        Answer ended = begin("{'gid':'" + gid + "','kind':'message','prepared':true,'deadline':'PT0.2S','checkBack':'$"
                + path + "','targets':[{'name':'points','url':'$/p'}]}");
        assertThat(state(ended)).isEqualTo("ACTIVE");
        awaitState(gid, end);
        assertThat(shop.calls().stream()
                        .filter(c -> c.gid().equals(gid) && c.path().equals(path))
                        .map(c -> c.branch() + " " + c.operation()))
                .containsExactly("check-back check", "check-back check");
        assertThat(shop.paths(gid).contains("/p")).isEqualTo(status == 200);
    }

    @Test
    void aNotificationIsSignedAndSentAgainWithTheSameBodyUntilItIsTaken() {
        shop.answers("/hook", (call, n) -> new Said(n < 3 ? 500 : 204, ""));
        String gid = gid();
        Answer ended = begin("{'gid':'" + gid + "','kind':'notify','wait':true,'url':'$/hook','payload':{'paid':true},"
                + "'schedule':{'first':'PT0.05S','factor':2,'cap':'PT1S'},'secret':'orders-hook'}");
        assertThat(state(ended)).isEqualTo("COMMITTED");
        assertThat(ended.text() + show(gid).text()).doesNotContain(SECRET).doesNotContain("whsec");
        var calls = shop.calls().stream().filter(c -> c.gid().equals(gid)).toList();
        assertThat(calls).hasSize(3).allSatisfy(call -> {
            assertThat(call.body()).isEqualTo("{\"paid\":true}");
            assertThat(call.operation()).isEqualTo("notify");
            assertThat(call.header("Webhook-id")).isEqualTo(gid);
            assertThat(isSigned(call, SECRET)).isTrue();
            assertThat(isSigned(call, OTHER_SECRET)).isFalse();
        });
    }

    private static boolean isSigned(Participant.Call call, String secret) {
        return WebhookSignature.of(secret)
                .isValid(
                        call.header("Webhook-id"),
                        call.header("Webhook-timestamp"),
                        call.header("Webhook-signature"),
                        call.body(),
                        Instant.now());
    }

    @Test
    void aNotificationEndsWithItsAge() {
        shop.answers("/deaf", 500);
        String gid = gid();
        begin("{'gid':'" + gid + "','kind':'notify','url':'$/deaf','schedule':{'first':'PT0.05S','age':'PT0.5S'}}");
        awaitState(gid, "ABORTED");
        assertThat(shop.calls().stream().filter(c -> c.gid().equals(gid)))
                .isNotEmpty()
                .allMatch(c -> c.header("Webhook-signature").isEmpty());
    }

    @Test
    void whatIsStuckIsListedAndGoesOnAfterARetry() {
        shop.answers("/never", 409).answers("/undo", (call, n) -> new Said(n == 1 ? 409 : 200, "locked account"));
        String gid = gid();
        Answer stuck = begin("{'gid':'" + gid + "','kind':'saga','wait':true,'steps':["
                + "{'name':'a','action':'$/a','compensate':'$/undo'},{'name':'b','action':'$/never'}]}");
        assertThat(state(stuck)).isEqualTo("ABORTING");
        assertThat(stuck.json().path("suspended").asString()).contains("a: refused: locked account");
        assertThat(client.fetch("/v1/transactions?stuck=true&state=ABORTING&kind=saga")
                        .text())
                .contains(gid);
        assertThat(client.fetch("/v1/transactions?state=COMMITTED").text()).doesNotContain(gid);
        assertThat(state(act(gid, "retry"))).isEqualTo("ABORTING");
        awaitState(gid, "ABORTED");
        assertThat(show(gid).json().path("history").toString())
                .contains("suspended")
                .contains("retried")
                .contains("anyone at 127.0.0.1");
    }

    @Test
    void aSuspendedTransactionRestsUntilItIsResumed() {
        shop.answers("/held", (call, n) -> new Said(n < 2 ? 500 : 200, ""));
        String gid = gid();
        begin("{'gid':'" + gid + "','kind':'message','targets':[{'name':'a','url':'$/held'}]}");
        assertThat(act(gid, "suspend").json().path("suspended").asString()).isEqualTo("told so");
        act(gid, "resume");
        awaitState(gid, "COMMITTED");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "kind|{'kind':'xa'}",
                "kind|{}",
                "kind|{'kind':7}",
                "steps|{'kind':'saga'}",
                "steps|{'kind':'saga','steps':[]}",
                "steps[0]|{'kind':'saga','steps':[null]}",
                "steps[0].name|{'kind':'saga','steps':[{'action':'$/a'}]}",
                "steps[0].name|{'kind':'saga','steps':[{'name':'ä','action':'$/a'}]}",
                "steps[0].action|{'kind':'saga','steps':[{'name':'a'}]}",
                "steps[0].action|{'kind':'saga','steps':[{'name':'a','action':'ftp://host/a'}]}",
                "steps[0].action|{'kind':'saga','steps':[{'name':'a','action':'http://'}]}",
                "steps[0].action|{'kind':'saga','steps':[{'name':'a','action':'http://u:p@host/'}]}",
                "steps[0].action|{'kind':'saga','steps':[{'name':'a','action':'http://host/a b'}]}",
                "steps[0].action|{'kind':'saga','steps':[{'name':'a','action':'http://host/a/%2e%2e/b'}]}",
                "steps[1].compensate|{'kind':'saga','steps':[{'name':'a','action':'$/a'},"
                        + "{'name':'b','action':'$/a','compensate':'file:///etc/passwd'}]}",
                "branches[0].confirm|{'kind':'tcc','branches':[{'name':'a','try':'$/a','cancel':'$/a'}]}",
                "targets[0].url|{'kind':'message','targets':[{'name':'a'}]}",
                "targets[0].name|{'kind':'message','targets':[{'name':'check-back','url':'$/a'}]}",
                "checkBack|{'kind':'message','checkBack':'$/c','targets':[{'name':'a','url':'$/a'}]}",
                "deadline|{'kind':'notify','url':'$/a','deadline':'PT1S','schedule':{'age':'PT2S'}}",
                "deadline|{'kind':'saga','deadline':'soon','steps':[{'name':'a','action':'$/a'}]}",
                "url|{'kind':'notify'}",
                "secret|{'kind':'notify','url':'$/a','secret':''}",
                "secret|{'kind':'notify','url':'$/a','secret':'whsec_tooshort'}",
                "secret|{'kind':'notify','url':'$/a','secret':'another-hook'}",
                "schedule|{'kind':'notify','url':'$/a','schedule':{'first':'PT0S'}}",
                "schedule.age|{'kind':'notify','url':'$/a','schedule':{'age':'1 day'}}",
                "gid|{'gid':'no spaces','kind':'notify','url':'$/a'}",
                "|{'kind':'saga','deadline':'P400D','steps':[{'name':'a','action':'$/a'}]}",
                "|{'kind':'saga','steps':[{'name':'a','action':'$/a'},{'name':'a','action':'$/a'}]}",
                "|{'kind':'saga','steps':[{'name':'a','action':'$/a','after':['b']},{'name':'b','action':'$/a'}]}"
            })
    void whatIsWrongIsNamed(String fieldAndBody) {
        int bar = fieldAndBody.indexOf('|');
        Answer refused = begin(fieldAndBody.substring(bar + 1));
        assertThat(refused.problem()).as(refused.text()).isEqualTo("bad-transaction");
        assertThat(refused.json().path("field").asString("")).isEqualTo(fieldAndBody.substring(0, bar));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'kind':'saga','stepz':[]}",
                "{'kind':'saga','steps':{}}",
                "{'kind':'tcc','steps':[{'name':'a','action':'$/a'}]}",
                "{'kind':'notify','url':'$/a','deadlines':'PT1S'}",
                "{'kind':'saga','wait':'yes'}",
                "[]"
            })
    void whatIsNoTransactionIsRefused(String body) {
        assertThat(begin(body).problem()).isEqualTo("malformed-json");
    }

    @Test
    void anUnknownTransactionIsNeverCalledFinished() {
        for (Answer answer : List.of(show("nothing"), act("nothing", "retry"), act("nothing", "abort"))) {
            assertThat(answer.status()).isEqualTo(404);
            assertThat(answer.problem()).isEqualTo("unknown-transaction");
            assertThat(answer.detail()).contains("remembers");
        }
        assertThat(act("no%20id", "retry").problem()).isEqualTo("bad-name");
    }
}
