package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.grpc.CallSignatureInterceptor;
import dev.tenon.grpc.ParticipantService;
import dev.tenon.server.TestClient.Answer;
import dev.tenon.server.tx.TransactionService;
import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Reply;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.http.CallSignature;
import dev.tenon.tx.http.HttpParticipants;
import dev.tenon.tx.http.HttpTargets;
import dev.tenon.tx.notify.WebhookSignature;
import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.netty.NettyServerBuilder;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Calls that a server signs with the secret of their target, which nobody chooses who begins a transaction. */
class SignedCallsTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String SECRET = "whsec_" + "b3VycyBv".repeat(4);
    private static final String OTHER = "whsec_" + "bmV4dG9u".repeat(4);

    private final Map<String, WebhookSignature> secrets =
            new ConcurrentHashMap<>(Map.of("stock", WebhookSignature.of(SECRET), "hook", WebhookSignature.of(OTHER)));
    private final MemoryServerBackend backend = new MemoryServerBackend();
    private Participant stock;
    private Participant hook;
    private Node node;
    private TestClient client;

    @BeforeEach
    void open() {
        stock = new Participant();
        hook = new Participant();
        node = node(Map.of(stock.url("/"), "stock"));
        client = new TestClient(node.port());
    }

    private Node node(Map<String, String> signed) {
        return Node.start(
                NodeOptions.at("127.0.0.1", 0)
                        .withProtection(Protection.DEFAULT
                                .withParticipants(HttpTargets.ANY.signedWith(signed))
                                .withSecrets(name -> Optional.ofNullable(secrets.get(name)))),
                backend);
    }

    @AfterEach
    void close() {
        node.close();
        stock.close();
        hook.close();
    }

    private Answer begin(String body) {
        return client.post("/v1/transactions", body.replace('\'', '"'));
    }

    private TransactionRecord log(String gid) {
        return backend.transactions().orElseThrow().find(new TransactionId(gid)).orElseThrow();
    }

    private static boolean isSigned(Participant.Call call, String secret) {
        return CallSignature.of(WebhookSignature.of(secret))
                .against(call::header, call.body().getBytes(StandardCharsets.UTF_8))
                .isEmpty();
    }

    @Test
    void everyCallOfEveryKindIsSigned() {
        stock.answers("/refuse", 409);
        String end = "','payload':{'count':3}}";
        String both = "'action':'" + stock.url("/do") + "','compensate':'" + stock.url("/undo");
        begin("{'kind':'saga','gid':'s','wait':true,'steps':[{'name':'a.b/c','" + both.substring(1) + end
                + ",{'name':'b','action':'" + stock.url("/refuse") + "'}]}");
        String second = "'confirm':'" + stock.url("/confirm") + "','cancel':'" + stock.url("/cancel");
        begin("{'kind':'tcc','gid':'t','wait':true,'branches':[{'name':'a','try':'" + stock.url("/try") + "'," + second
                + end + "]}");
        begin("{'kind':'tcc','gid':'u','wait':true,'branches':[{'name':'a','try':'" + stock.url("/refuse") + "',"
                + second + end + ",{'name':'b','try':'" + stock.url("/try") + "'," + second + end + "]}");
        begin("{'kind':'message','gid':'m','deadline':'PT0.1S','prepared':true,'checkBack':'" + stock.url("/check")
                + "','targets':[{'name':'a','url':'" + stock.url("/deliver") + "'}]}");
        begin("{'kind':'notify','gid':'n','wait':true,'url':'" + stock.url("/notify") + end);
        await().atMost(LIMIT).until(() -> log("m").state().isFinal());

        assertThat(stock.calls().stream().map(Participant.Call::operation).distinct())
                .containsExactlyInAnyOrder(
                        "action", "compensate", "try", "confirm", "cancel", "check", "deliver", "notify");
        assertThat(stock.calls()).allMatch(call -> isSigned(call, SECRET));
    }

    @Test
    void callsOverGrpcAreSignedToo() throws Exception {
        CallSignature signature = CallSignature.of(WebhookSignature.of(SECRET));
        Server grpc = NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                .addService(ServerInterceptors.intercept(
                        ParticipantService.of(name -> Optional.of(call -> Reply.done("taken"))),
                        CallSignatureInterceptor.of(signature)))
                .build()
                .start();
        String address = "grpc://127.0.0.1:" + grpc.getPort();
        String message = "{'kind':'message','gid':'%s','wait':true,'deadline':'%s','targets':[{'name':'a','url':'"
                + address + "/stock'}]}";
        try (Node signing = node(Map.of(address, "stock"))) {
            client = new TestClient(signing.port());
            assertThat(begin(message.formatted("g", "PT60S")).text()).contains("\"COMMITTED\"");
        }
        client = new TestClient(node.port());
        assertThat(begin(message.formatted("h", "PT0.05S")).status()).isEqualTo(200);
        await().atMost(LIMIT)
                .untilAsserted(
                        () -> assertThat(log("h").branches().get(0).lastError().orElse(""))
                                .contains("UNAUTHENTICATED"));
        grpc.shutdownNow();
    }

    @Test
    void whoBeginsATransactionNeitherChoosesNorBorrowsTheSecret() {
        String notice = "{'kind':'notify','gid':'%s','wait':true,'url':'%s','secret':'%s'}";
        Answer chosen = begin(notice.formatted("a", stock.url("/x"), "hook"));
        assertThat(chosen.problem()).as(chosen.text()).isEqualTo("bad-transaction");
        assertThat(chosen.text()).contains("--sign-calls");
        Answer borrowed = begin(notice.formatted("b", hook.url("/x"), "stock"));
        assertThat(borrowed.problem()).as(borrowed.text()).isEqualTo("bad-transaction");
        assertThat(borrowed.json().path("field").asString()).isEqualTo("secret");

        assertThat(begin(notice.formatted("c", hook.url("/x"), "hook")).status())
                .isEqualTo(200);
        begin("{'kind':'message','gid':'d','wait':true,'targets':[{'name':'a','url':'" + hook.url("/y") + "'}]}");
        assertThat(hook.paths("c")).isNotEmpty();
        assertThat(hook.calls()).hasSize(2).noneMatch(call -> isSigned(call, SECRET));
        assertThat(hook.calls().get(1).headers()).doesNotContainKey("Webhook-signature");
        assertThat(stock.calls()).isEmpty();
    }

    @Test
    void aNotificationInTheLogThatNamesATargetsSecretIsNotSentElsewhereWithIt() {
        String target = HttpParticipants.signed(hook.url("/x"), "stock");
        backend.transactions()
                .orElseThrow()
                .begin(
                        new TransactionDraft(
                                new TransactionId("a"),
                                TransactionKind.NOTIFY,
                                TransactionService.SERVICE,
                                "",
                                "",
                                Optional.empty(),
                                TransactionState.ACTIVE,
                                Duration.ofDays(1),
                                RetryPolicy.FOR_EVER,
                                List.of(BranchRecord.planned("notify", Map.of(Operation.NOTIFY, target), "{}"))),
                        Optional.empty(),
                        Duration.ZERO);
        await().atMost(LIMIT)
                .untilAsserted(
                        () -> assertThat(log("a").branches().get(0).lastError().orElse(""))
                                .contains("signs calls to its own targets"));
        assertThat(hook.calls()).isEmpty();
    }

    @Test
    void withoutTheSecretACallWaitsAndIsNotMadeUnsigned() {
        WebhookSignature signature = secrets.remove("stock");
        begin("{'kind':'message','gid':'m','targets':[{'name':'a','url':'" + stock.url("/x") + "'}]}");
        await().atMost(LIMIT)
                .untilAsserted(
                        () -> assertThat(log("m").branches().get(0).lastError().orElse(""))
                                .contains("no webhook secret", "stock"));
        assertThat(stock.calls()).isEmpty();
        secrets.put("stock", signature);
        await().atMost(LIMIT).until(() -> log("m").state().isFinal());
        assertThat(stock.calls()).isNotEmpty().allMatch(call -> isSigned(call, SECRET));
    }
}
