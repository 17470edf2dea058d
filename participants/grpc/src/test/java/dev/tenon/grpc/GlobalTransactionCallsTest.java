package dev.tenon.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.memory.MemoryBackend;
import dev.tenon.protocol.ParticipantGrpc;
import dev.tenon.protocol.ParticipantRequest;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.Participants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.global.GlobalOptions;
import dev.tenon.tx.global.GlobalScope;
import dev.tenon.tx.global.GlobalTransactions;
import dev.tenon.tx.tcc.Tcc;
import dev.tenon.tx.tcc.TccBranch;
import dev.tenon.tx.tcc.TccParticipant;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A global transaction over two services that speak gRPC, each with a log of its own. */
class GlobalTransactionCallsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final NamedParticipants served = new NamedParticipants();
    private final GrpcParticipants overGrpc = GrpcParticipants.create(Duration.ofSeconds(10));
    private final MemoryBackend stockBackend = MemoryBackend.create();
    private final MemoryBackend shopBackend = MemoryBackend.create();
    private Transactions stockLog;
    private Transactions shopLog;
    private GlobalTransactions shop;
    private Server server;
    private ManagedChannel channel;
    private ParticipantGrpc.ParticipantBlockingStub stub;

    @BeforeEach
    void start() throws IOException {
        NamedParticipants local = new NamedParticipants();
        stockLog = log(stockBackend, "stock", local);
        Tcc reserve =
                Tcc.over(stockLog, local).register("reserve", 1, TccParticipant.of(this::say, this::say, this::say));
        GlobalTransactions stock = GlobalTransactions.over(stockLog, new GlobalScope(), reserve, Map.of(), Map.of());
        served.register(GlobalTransactions.PARTICIPANT, stock.participant());
        served.register("take", call -> {
            stock.scope().current().orElseThrow().tryIt(TccBranch.of("reserve", call.payload()));
            if (call.payload().equals("fail")) {
                throw new IllegalStateException("after its reservation");
            }
            return Reply.done();
        });
        server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .addService(
                        ServerInterceptors.intercept(ParticipantService.of(served), GlobalTransactionCalls.into(stock)))
                .build()
                .start();
        NamedParticipants none = new NamedParticipants();
        shopLog = log(shopBackend, "shop", none.or(overGrpc));
        GlobalScope scope = new GlobalScope();
        shop = GlobalTransactions.over(
                shopLog,
                scope,
                Tcc.over(shopLog, none),
                Map.of(),
                Map.of("stock", "grpc://localhost:" + server.getPort()));
        channel = NettyChannelBuilder.forAddress("localhost", server.getPort())
                .usePlaintext()
                .build();
        stub = ParticipantGrpc.newBlockingStub(channel).withInterceptors(GlobalTransactionCalls.from(scope, "stock"));
    }

    private static Transactions log(MemoryBackend backend, String service, Participants participants) {
        return TransactionEngine.over(
                        backend.transactions(), participants, TransactionOptions.DEFAULT.withService(service))
                .start();
    }

    private Reply say(BranchCall call) {
        calls.add(call.operation().text());
        return call.payload().equals("none") ? Reply.refused("none left") : Reply.done();
    }

    @AfterEach
    void stop() {
        channel.shutdownNow();
        server.shutdownNow();
        shopLog.close();
        stockLog.close();
        overGrpc.close();
        shopBackend.close();
        stockBackend.close();
    }

    @Test
    void theCalledServiceIsCommittedWithItsCaller() {
        shop.call(GlobalOptions.DEFAULT, () -> take("3"));
        Awaitility.await().atMost(PATIENCE).until(() -> calls.equals(List.of("try", "confirm")));
    }

    @Test
    void theCalledServiceIsUndoneWithItsCaller() {
        assertThatThrownBy(() -> shop.call(GlobalOptions.DEFAULT, () -> {
                    take("3");
                    throw new IllegalStateException("after the call");
                }))
                .hasMessage("after the call");
        Awaitility.await().atMost(PATIENCE).until(() -> calls.equals(List.of("try", "cancel")));
    }

    @Test
    void aCallThatFailsHasTheWholeRolledBackEvenIfThatIsCaught() {
        assertThatThrownBy(() -> shop.call(GlobalOptions.DEFAULT, () -> {
                    assertThatThrownBy(() -> take("fail")).isInstanceOf(StatusRuntimeException.class);
                    return true;
                }))
                .isInstanceOf(TransactionAbortedException.class)
                .hasMessageContaining("\"stock\"");
        Awaitility.await().atMost(PATIENCE).until(() -> calls.equals(List.of("try", "cancel")));
    }

    @Test
    void metadataThatIsNoneIsRefused() {
        Metadata forged = new Metadata();
        forged.put(Metadata.Key.of(GlobalTransactions.HEADER, Metadata.ASCII_STRING_MARSHALLER), "no part");
        assertThatThrownBy(() -> ParticipantGrpc.newBlockingStub(channel)
                        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(forged))
                        .call(request("3")))
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT));
        assertThat(calls).isEmpty();
    }

    private Optional<String> take(String payload) {
        return Optional.of(stub.call(request(payload)).getText());
    }

    private static ParticipantRequest request(String payload) {
        return ParticipantRequest.newBuilder()
                .setGid("a")
                .setBranch("b")
                .setOperation("action")
                .setParticipant("take")
                .setPayload(payload)
                .build();
    }
}
