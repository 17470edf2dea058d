package dev.tenon.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.ManualClock;
import dev.tenon.TenonException;
import dev.tenon.TimeSource;
import dev.tenon.testkit.TestPort;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.client.api.GroupManagementApi;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.GroupManagementRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.storage.RaftStorage.StartupOption;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node of the engine alone, which waits for a group; the test changes it while it is asked. */
@Timeout(120)
class NodeIdentityTest {
    private static final RaftGroupId LOBBY = RaftGroupId.valueOf(GroupSearch.LOBBY);
    private static final RaftGroupId CLUSTER = RaftGroupId.valueOf(UUID.randomUUID());

    /** There is no election; an answer may take four times that. */
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    @TempDir
    private Path folder;

    private final TestPort port = TestPort.reserve();
    private final String address = "127.0.0.1:" + port.number();
    private final RaftPeer asked = RaftCluster.peer("n4", address);
    private final AtomicInteger pauses = new AtomicInteger();
    private RatisClients clients;
    private RaftServer server;

    @BeforeEach
    void startAsANewNode() throws IOException {
        RatisProperties.withoutReporters();
        RaftCluster alone = new RaftCluster("n4", Map.of("n4", address)).withElectionTimeout(PATIENCE);
        RaftProperties properties = RatisProperties.of(folder, Optional.of(alone));
        NodeTransport transport = new NodeTransport(Optional.empty());
        clients = new RatisClients(properties, transport);
        server = RaftServer.newBuilder()
                .setServerId(RaftPeer.newBuilder().setId("n4~folder").build().getId())
                .setGroup(RaftGroup.valueOf(LOBBY))
                .setStateMachineRegistry(any -> new BaseStateMachine())
                .setProperties(properties)
                .setParameters(transport.asParameters(properties))
                .setOption(StartupOption.RECOVER)
                .build();
        server.start();
    }

    @AfterEach
    void stop() throws IOException {
        clients.close();
        server.close();
        port.close();
    }

    @Test
    void aNodeThatIsStartingIsAskedAgain() throws Exception {
        closeTheLobby();

        RaftPeer node = new NodeIdentity(this::client, whilePausing(this::goIntoTheCluster)).of(asked);

        assertThat(node.getId()).hasToString("n4~folder");
        assertThat(node.getAddress()).isEqualTo(address);
        assertThat(pauses).hasValue(1);
    }

    @Test
    void aGroupThatIsGoneBetweenTwoQuestionsIsNotTheAnswer() {
        NodeIdentity identity = new NodeIdentity(peer -> listing(client(peer)), whilePausing(() -> {}));

        assertThat(identity.of(asked).getId()).hasToString("n4~folder");
        assertThat(pauses).hasValue(1);
    }

    @Test
    void aNodeThatDoesNotFinishItsStartIsToldAfterSomeSeconds() throws Exception {
        closeTheLobby();
        ManualClock clock = new ManualClock(Instant.EPOCH);
        NodeIdentity identity = new NodeIdentity(this::client, pausing(clock, clock::advance));

        assertThatThrownBy(() -> identity.of(asked))
                .isInstanceOf(TenonException.class)
                .hasMessageContaining("n4 at " + address + " does not finish its start")
                .hasMessageContaining("empty folder");
        assertThat(Duration.ofNanos(clock.nanoTime()))
                .isBetween(NodeIdentity.START_MAX, NodeIdentity.START_MAX.plusSeconds(1));
    }

    @Test
    void aNodeThatIsDownIsToldAtOnce() throws IOException {
        server.close();

        assertThatThrownBy(() -> new NodeIdentity(this::client, whilePausing(() -> {})).of(asked))
                .isInstanceOf(TenonException.class)
                .hasMessageContaining("does not answer at " + address)
                .hasMessageContaining("start it first");
        assertThat(pauses).hasValue(0);
    }

    private RaftClient client(RaftPeer peer) throws IOException {
        return clients.of(RaftGroup.valueOf(RaftGroupId.randomId(), peer));
    }

    /**
     * As when a node leaves it. A thread of its own: the engine sends where it was closed, and a test's trace is too
     * long.
     */
    private void closeTheLobby() throws Exception {
        CompletableFuture<?> closed = new CompletableFuture<>();
        Thread closing = new Thread(() -> {
            try {
                server.getDivision(LOBBY).getRaftLog().close();
                closed.complete(null);
            } catch (IOException e) {
                closed.completeExceptionally(e);
            }
        });
        closing.start();
        closed.get(30, TimeUnit.SECONDS);
    }

    /** What a node does that has found its cluster. */
    private void goIntoTheCluster() {
        try {
            RaftPeer other = RaftPeer.newBuilder()
                    .setId("n1~folder")
                    .setAddress("127.0.0.1:1")
                    .build();
            assertThat(server.groupManagement(GroupManagementRequest.newAdd(
                                    ClientId.randomId(), server.getId(), 1, RaftGroup.valueOf(CLUSTER, other), false))
                            .isSuccess())
                    .isTrue();
            assertThat(server.groupManagement(GroupManagementRequest.newRemove(
                                    ClientId.randomId(), server.getId(), 2, LOBBY, true, false))
                            .isSuccess())
                    .isTrue();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** A client whose node goes into the cluster when it has told its groups for the first time. */
    private RaftClient listing(RaftClient real) throws IOException {
        AtomicInteger lists = new AtomicInteger();
        GroupManagementApi there = real.getGroupManagementApi(asked.getId());
        GroupManagementApi changing = proxy(GroupManagementApi.class, (method, arguments) -> {
            Object reply = method.invoke(there, arguments);
            if (method.getName().equals("list") && lists.incrementAndGet() == 1) {
                goIntoTheCluster();
            }
            return reply;
        });
        return proxy(
                RaftClient.class,
                (method, arguments) ->
                        method.getName().equals("getGroupManagementApi") ? changing : method.invoke(real, arguments));
    }

    private interface Call {
        Object by(Method method, Object[] arguments) throws ReflectiveOperationException;
    }

    private static <T> T proxy(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (any, method, arguments) -> {
                    try {
                        return call.by(method, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private TimeSource whilePausing(Runnable step) {
        return pausing(TimeSource.system(), any -> step.run());
    }

    private interface Pause {
        void of(Duration time);
    }

    private TimeSource pausing(TimeSource clock, Pause pause) {
        return new TimeSource() {
            @Override
            public Instant now() {
                return clock.now();
            }

            @Override
            public long epochMillis() {
                return clock.epochMillis();
            }

            @Override
            public long nanoTime() {
                return clock.nanoTime();
            }

            @Override
            public void park(Duration atMost) {
                pauses.incrementAndGet();
                pause.of(atMost);
            }
        };
    }
}
