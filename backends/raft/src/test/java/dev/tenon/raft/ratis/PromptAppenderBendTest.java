package dev.tenon.raft.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.testkit.TestPort;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.grpc.server.GrpcLogAppender;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.util.AwaitForSignal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Wake-ups that Ratis forgets: one that comes before the wait, and a message that is asked for while another one is
 * being built. Nothing is sent here; that Ratis calls what is overridden is seen in {@link ClusterRpcBendTest}.
 */
class PromptAppenderBendTest {
    private static final RaftPeer FOLLOWER = RaftPeer.newBuilder().setId("n2").build();

    @TempDir
    private Path folder;

    private Engine engine;
    private FollowerInfo follower;
    private LeaderState leader;
    private PromptAppender appender;
    private Runnable whileItIsBuilt = () -> {};

    @BeforeEach
    void build() throws IOException {
        TestPort port = TestPort.reserve();
        engine = new Engine(folder, Engine.BENT, port).build(Engine.peer("n1", port));
        leader = only(LeaderState.class, (proxy, method, arguments) -> {
            whileItIsBuilt.run();
            return AppendEntriesRequestProto.getDefaultInstance();
        });
        follower = only(FollowerInfo.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "getPeer" -> FOLLOWER;
            case "getId" -> FOLLOWER.getId();
            case "getNextIndex" -> 0L;
            default -> "n1->n2";
        });
        appender = new PromptAppender(engine.division(), leader, follower);
    }

    @AfterEach
    void close() throws IOException {
        engine.close();
    }

    @Test
    void ratisForgetsASignalThatComesBeforeTheWait() throws Exception {
        AwaitForSignal signal = new AwaitForSignal("test");
        signal.signal();

        assertThat(signal.await(10, TimeUnit.MILLISECONDS)).isFalse();
    }

    @Test
    void ratisForgetsWhatIsAskedForWhileAMessageIsBuilt() throws Exception {
        StockAppender stock = new StockAppender(engine.division(), leader, follower);
        whileItIsBuilt = stock::triggerHeartbeat;
        stock.triggerHeartbeat();
        assertThat(stock.newAppendEntriesRequest(1, true)).isNotNull();
        stock.reset();
        int before = stock.notified;

        stock.triggerHeartbeat();

        assertThat(stock.notified).isEqualTo(before + 1); // as if nothing had been asked for
    }

    @Test
    void whatIsAskedForWhileAMessageIsBuiltIsSentWithTheNextOne() throws Exception {
        whileItIsBuilt = appender::triggerHeartbeat;
        send();
        assertThat(appender.shouldSendAppendEntries()).isTrue();
        assertThat(appender.getHeartbeatWaitTimeMs()).isZero();
        whileItIsBuilt = () -> {};
        send();
        assertThat(asked()).isFalse();
    }

    @Test
    void whatWasAskedForBeforeIsSentOnce() throws Exception {
        send();
        assertThat(asked()).isFalse();
    }

    /** As Ratis does with a message that was asked for. */
    private void send() throws Exception {
        appender.triggerHeartbeat();
        assertThat(appender.newAppendEntriesRequest(1, true)).isNotNull();
        appender.resetHeartbeatTrigger();
    }

    /** Ratis wakes the sender only if nothing is asked for yet. */
    private boolean asked() throws InterruptedException {
        var wakeUps = appender.getEventAwaitForSignal();
        wakeUps.await(1, TimeUnit.MILLISECONDS);
        appender.triggerHeartbeat();
        return !wakeUps.await(1, TimeUnit.MILLISECONDS);
    }

    private static <T> T only(Class<T> type, InvocationHandler calls) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, calls));
    }

    /** Ratis' own, which tells when it wakes its thread. */
    private static final class StockAppender extends GrpcLogAppender {
        private int notified;

        StockAppender(RaftServer.Division server, LeaderState leader, FollowerInfo follower) {
            super(server, leader, follower);
        }

        @Override
        public void notifyLogAppender() {
            notified++;
        }

        void reset() {
            resetHeartbeatTrigger();
        }
    }
}
