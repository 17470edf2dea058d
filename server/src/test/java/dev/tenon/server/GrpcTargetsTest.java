package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.grpc.ParticipantService;
import dev.tenon.server.TestClient.Answer;
import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.http.HttpTargets;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** A transaction that is begun over HTTP, and whose participants speak gRPC. */
class GrpcTargetsTest {
    private final List<String> calls = new CopyOnWriteArrayList<>();

    private String noted(String what) {
        calls.add(what);
        return what;
    }

    private static String saga(String address, String more) {
        return "{\"kind\":\"saga\",\"gid\":\"order-1\",\"wait\":true" + more + ",\"steps\":["
                + "{\"name\":\"stock\",\"action\":\"" + address + "/stock\",\"compensate\":\"" + address
                + "/stock\",\"payload\":{\"count\":3}},"
                + "{\"name\":\"card\",\"action\":\"" + address + "/card\"}]}";
    }

    @Test
    void theyAreCalledAndTheirAnswersCount() throws Exception {
        NamedParticipants participants = new NamedParticipants()
                .register(
                        "stock",
                        call -> Reply.done(noted("stock " + call.operation().text() + " " + call.payload())))
                .register("card", call -> Reply.refused(noted("no money")));
        Server grpc = NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                .addService(ParticipantService.of(participants))
                .build()
                .start();
        String address = "grpc://127.0.0.1:" + grpc.getPort();
        try (Node node = Node.start(NodeOptions.at("127.0.0.1", 0), new MemoryServerBackend())) {
            Answer ended = new TestClient(node.port()).post("/v1/transactions", saga(address, ""));
            assertThat(ended.status()).as(ended.text()).isEqualTo(200);
            assertThat(ended.json().path("state").asString()).isEqualTo("ABORTED");
            assertThat(calls)
                    .containsExactly("stock action {\"count\":3}", "no money", "stock compensate {\"count\":3}");
        } finally {
            grpc.shutdownNow();
        }
    }

    @Test
    void oneThatIsNotAllowedOrCantBeSignedIsRefused() {
        HttpTargets named = HttpTargets.within(List.of("grpc://stock.example:90/stock"));
        try (Node node = Node.start(
                NodeOptions.at("127.0.0.1", 0).withProtection(Protection.DEFAULT.withParticipants(named)),
                new MemoryServerBackend())) {
            TestClient client = new TestClient(node.port());
            for (String url : List.of(
                    "grpc://stock.example:90/card",
                    "grpcs://stock.example:90/stock",
                    "http://stock.example:90/stock")) {
                Answer refused = client.post("/v1/transactions", notice(url, ""));
                assertThat(refused.problem()).as(refused.text()).isEqualTo("bad-transaction");
                assertThat(refused.json().path("field").asString()).isEqualTo("url");
            }
            String allowed = "grpc://stock.example:90/stock";
            Answer signed = client.post("/v1/transactions", notice(allowed, ",\"secret\":\"a word that both know\""));
            assertThat(signed.problem()).as(signed.text()).isEqualTo("bad-transaction");
            assertThat(signed.json().path("field").asString()).isEqualTo("secret");
            assertThat(signed.text()).doesNotContain("a word");
        }
    }

    private static String notice(String url, String more) {
        return "{\"kind\":\"notify\",\"url\":\"" + url + "\",\"payload\":{}" + more + "}";
    }
}
