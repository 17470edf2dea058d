package dev.tenon.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Participants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.http.BarrierHandler;
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
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Participants that take calls only if they are signed, over HTTP and gRPC, and whoever calls them. */
class SignedCallsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String SECRET = "whsec_" + "b3VycyBv".repeat(4);
    private static final String NEXT = "whsec_" + "bmV4dG9u".repeat(4);

    private final BlockingQueue<BranchCall> calls = new LinkedBlockingQueue<>();
    private final Map<String, WebhookSignature> secrets = new ConcurrentHashMap<>();
    private HttpServer http;
    private Server grpc;
    private GrpcParticipants overGrpc;

    @BeforeEach
    void serve() throws Exception {
        CallSignature signature = CallSignature.of(WebhookSignature.of(SECRET));
        BarrierHandler handler = BarrierHandler.of(this::done).verifying(signature);
        http = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        http.createContext("/stock", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            BarrierHandler.Answer answer = handler.handle(exchange.getRequestHeaders()::getFirst, body);
            byte[] text = answer.body().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(answer.status(), text.length == 0 ? -1 : text.length);
            exchange.getResponseBody().write(text);
            exchange.close();
        });
        http.start();
        grpc = NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                .addService(ServerInterceptors.intercept(
                        ParticipantService.of(name -> Optional.of(this::done)), CallSignatureInterceptor.of(signature)))
                .build()
                .start();
        overGrpc = GrpcParticipants.create(PATIENCE);
        secrets.put("stock", WebhookSignature.of(SECRET));
        secrets.put("other", WebhookSignature.of(NEXT));
    }

    @AfterEach
    void close() {
        overGrpc.close();
        grpc.shutdownNow();
        http.stop(0);
    }

    private Reply done(BranchCall call) {
        calls.add(call);
        return Reply.done("taken");
    }

    private String target(String scheme) {
        return scheme + "://127.0.0.1:"
                + (scheme.equals("http") ? http.getAddress().getPort() : grpc.getPort()) + "/stock";
    }

    private Participants participants(HttpTargets targets) {
        return HttpParticipants.create(PATIENCE)
                .within(targets)
                .signing(name -> Optional.ofNullable(secrets.get(name)))
                .or(overGrpc.within(targets).signing(name -> Optional.ofNullable(secrets.get(name))));
    }

    private static Reply call(Participants participants, String target, Operation operation) throws Exception {
        String payload = operation == Operation.CHECK ? "" : "{\"text\":\"ä中\uD83D\uDE00\\n\"}";
        return participants
                .find(target)
                .orElseThrow()
                .call(new BranchCall(
                        new TransactionId("order:4.2"), "stock/50 % 中+a.b", operation, target, payload, Map.of(), 1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"http", "grpc"})
    void everyOperationIsSignedAndTaken(String scheme) throws Exception {
        String target = target(scheme);
        Participants signing = participants(HttpTargets.ANY.signedWith(Map.of(target, "stock")));
        for (Operation operation : Operation.values()) {
            assertThat(call(signing, target, operation)).isEqualTo(Reply.done("taken"));
            assertThat(calls.remove().operation()).isEqualTo(operation);
        }
        assertThat(calls).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"http", "grpc"})
    void oneThatIsNotSignedIsNotTakenAndComesAgain(String scheme) {
        String target = target(scheme);
        String unauthenticated = scheme.equals("http") ? "401" : "UNAUTHENTICATED";
        assertThatThrownBy(() -> call(participants(HttpTargets.ANY), target, Operation.ACTION))
                .hasMessageContaining(unauthenticated)
                .hasMessageContaining("only signed calls");
        HttpTargets bySomebodyElse = HttpTargets.ANY.signedWith(Map.of(target, "other"));
        assertThatThrownBy(() -> call(participants(bySomebodyElse), target, Operation.ACTION))
                .hasMessageContaining(unauthenticated)
                .hasMessageContaining("no secret of this participant");
        assertThat(calls).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"http", "grpc"})
    void whileASecretIsReplacedACallHasBothSignatures(String scheme) throws Exception {
        String target = target(scheme);
        secrets.put("stock", WebhookSignature.of(NEXT, SECRET));
        Participants signing = participants(HttpTargets.ANY.signedWith(Map.of(target, "stock")));
        assertThat(call(signing, target, Operation.TRY)).isEqualTo(Reply.done("taken"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"http", "grpc"})
    void withoutItsSecretACallIsNotMade(String scheme) {
        String target = target(scheme);
        Participants signing = participants(HttpTargets.ANY.signedWith(Map.of(target, "gone")));
        assertThatThrownBy(() -> call(signing, target, Operation.ACTION))
                .hasMessageContaining("no webhook secret of the name \"gone\"");
        assertThat(calls).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"http", "grpc"})
    void theLongestPathSaysWhichSecretSigns(String scheme) throws Exception {
        String target = target(scheme);
        String root = target.replace("/stock", "");
        HttpTargets targets = HttpTargets.within(List.of(root)).signedWith(Map.of(root, "other", target, "stock"));
        assertThat(call(participants(targets), target, Operation.ACTION)).isEqualTo(Reply.done("taken"));
        for (String elsewhere : List.of(root + "/stocks", root)) {
            assertThat(targets.secret(targets.require(elsewhere))).hasValue("other");
        }
        assertThat(targets.secret(targets.require(target.toUpperCase(java.util.Locale.ROOT) + "/x")))
                .as("a path has its case")
                .hasValue("other");
        assertThatThrownBy(() -> HttpTargets.ANY.signedWith(Map.of(root, "a", root + "/", "b")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("one secret");
    }
}
