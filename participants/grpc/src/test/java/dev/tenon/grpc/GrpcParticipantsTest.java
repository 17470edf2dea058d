package dev.tenon.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.TenonException;
import dev.tenon.testkit.ParticipantsContract;
import dev.tenon.testkit.TestPort;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Participants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.http.HttpTargets;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GrpcParticipantsTest extends ParticipantsContract {
    private final List<Server> servers = new ArrayList<>();
    private final List<GrpcParticipants> callers = new ArrayList<>();

    @Override
    protected String serve(Participant participant) {
        return "grpc://127.0.0.1:" + serve(0, participant).getPort() + "/stock";
    }

    private Server serve(int port, Participant participant) {
        Participants named = target -> target.equals("stock") ? Optional.of(participant) : Optional.empty();
        try {
            Server server = NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", port))
                    .addService(ParticipantService.of(named))
                    .build()
                    .start();
            servers.add(server);
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    protected Participants participants(Duration timeout, HttpTargets allowed) {
        GrpcParticipants made = GrpcParticipants.create(timeout);
        callers.add(made);
        return made.within(allowed);
    }

    @AfterEach
    void close() {
        callers.forEach(GrpcParticipants::close);
        servers.forEach(Server::shutdownNow);
    }

    private static Reply call(Participants participants, String target) throws Exception {
        return participants
                .find(target)
                .orElseThrow()
                .call(new BranchCall(new TransactionId("a"), "stock", Operation.ACTION, target, "", Map.of(), 1));
    }

    @Test
    void anotherNameAtTheSameAddressIsNobody() {
        String target = serve(call -> Reply.done());
        Participants callers = participants(Duration.ofSeconds(30), HttpTargets.ANY);
        assertThatThrownBy(() -> call(callers, target.replace("/stock", "/card")))
                .isInstanceOf(TenonException.class)
                .hasMessageContaining("NOT_FOUND")
                .hasMessageContaining("card");
    }

    @Test
    void oneThatIsBackIsCalledAtOnce() throws Exception {
        try (TestPort port = TestPort.reserve()) {
            Server server = serve(port.number(), call -> Reply.done("first"));
            String target = "grpc://127.0.0.1:" + port.number() + "/stock";
            Participants callers = participants(Duration.ofSeconds(30), HttpTargets.ANY);
            assertThat(call(callers, target)).isEqualTo(Reply.done("first"));
            server.shutdownNow().awaitTermination();
            for (int i = 0; i < 5; i++) {
                assertThatThrownBy(() -> call(callers, target)).isInstanceOf(TenonException.class);
            }
            serve(port.number(), call -> Reply.done("second"));
            assertThat(call(callers, target)).isEqualTo(Reply.done("second"));
        }
    }

    @Test
    void whatIsClosedCallsNobody() {
        String target = serve(call -> Reply.done());
        GrpcParticipants closed = GrpcParticipants.create(Duration.ofSeconds(30));
        closed.close();
        closed.close();
        assertThatThrownBy(() -> call(closed, target)).isInstanceOf(TenonException.class);
    }

    @Test
    void targetsAreAddressesOfGrpc() {
        Participants any = participants(Duration.ofSeconds(30), HttpTargets.ANY);
        assertThat(any.find("http://127.0.0.1/")).isEmpty();
        assertThat(any.find("GRPCS://stock.example/a")).isPresent();
        for (String bad : List.of(
                "grpc://stock:1/a?b=c",
                "grpc://stock:1/a#b",
                "grpc://user@stock:1/a",
                "grpc://:1/a",
                "grpc://stock:0")) {
            assertThatThrownBy(() -> call(any, bad)).as(bad).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
