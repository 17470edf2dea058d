package dev.tenon.raft.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.testkit.TestPort;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.rpc.SupportedRpcType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A group of one. */
@Timeout(180)
class LocalRpcBendTest {
    @TempDir
    private Path folder;

    private final TestPort port = TestPort.reserve();

    @Test
    void ratisHasNoTransportThatOpensNoPort() {
        assertThat(SupportedRpcType.values())
                .containsExactly(SupportedRpcType.NETTY, SupportedRpcType.GRPC, SupportedRpcType.HADOOP);
    }

    @Test
    void ratisOpensAPortForAGroupOfOne() throws Exception {
        try (Engine engine = new Engine(folder, Engine.STOCK, port).start(Engine.peer("n1", port));
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), port.number())) {
            assertThat(engine.server().getServerRpc().getInetSocketAddress().getPort())
                    .isEqualTo(port.number());
            assertThat(socket.isConnected()).isTrue();
        }
    }

    @Test
    void oursLeadsWithoutOne() throws Exception {
        RaftPeer self = RaftPeer.newBuilder().setId("n1").build();
        try (Engine engine =
                new Engine(folder, LocalRpc.class.getName(), port).standing().start(self)) {
            Engine.soon().until(() -> engine.division().getInfo().isLeaderReady());

            assertThat(engine.server()
                            .submitClientRequestAsync(engine.request())
                            .get(60, TimeUnit.SECONDS)
                            .isSuccess())
                    .isTrue();
            assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
        }
    }

    private void connect() throws IOException {
        new Socket(InetAddress.getLoopbackAddress(), port.number()).close();
    }
}
