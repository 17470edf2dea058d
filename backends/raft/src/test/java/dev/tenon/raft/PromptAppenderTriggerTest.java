package dev.tenon.raft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.testkit.TestPort;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.storage.RaftStorage.StartupOption;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A message that is asked for while another one is being built, which Ratis forgets. Nothing is sent here. */
class PromptAppenderTriggerTest {
    private static final RaftPeer FOLLOWER = RaftPeer.newBuilder().setId("n2").build();

    @TempDir
    private Path folder;

    private final TestPort port = TestPort.reserve();
    private RaftServer server;
    private PromptAppender appender;
    private Runnable whileItIsBuilt = () -> {};

    @BeforeEach
    void build() throws Exception {
        String address = "127.0.0.1:" + port.number();
        RaftPeer self = RaftPeer.newBuilder().setId("n1").setAddress(address).build();
        RaftGroup group = RaftGroup.valueOf(RaftGroupId.valueOf(UUID.randomUUID()), self);
        // As every node does: a JVM that once shows the engine's metrics as beans does so for ever.
        RatisProperties.withoutReporters();
        server = RaftServer.newBuilder()
                .setServerId(self.getId())
                .setGroup(group)
                .setStateMachineRegistry(any -> new BaseStateMachine())
                .setProperties(RatisProperties.of(folder, Optional.of(new RaftCluster("n1", Map.of("n1", address)))))
                .setParameters(new ClusterRpc.Settings(Optional.empty()).asParameters(new RaftProperties()))
                .setOption(StartupOption.RECOVER)
                .build();
        LeaderState leader = only(LeaderState.class, (proxy, method, arguments) -> {
            whileItIsBuilt.run();
            return AppendEntriesRequestProto.getDefaultInstance();
        });
        FollowerInfo follower = only(FollowerInfo.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "getPeer" -> FOLLOWER;
            case "getId" -> FOLLOWER.getId();
            case "getNextIndex" -> 0L;
            default -> "n1->n2";
        });
        appender = new PromptAppender(server.getDivision(group.getGroupId()), leader, follower);
    }

    @AfterEach
    void close() throws Exception {
        server.close();
        port.close();
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
}
