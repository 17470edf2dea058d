package dev.tenon.raft.ratis;

import static org.awaitility.Awaitility.await;

import dev.tenon.testkit.TestPort;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.metrics.MetricRegistries;
import org.apache.ratis.metrics.RatisMetricRegistry;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.server.storage.RaftStorage.StartupOption;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.util.TimeDuration;
import org.awaitility.core.ConditionFactory;

/**
 * A node of Ratis alone, with a transport of the test's choice: its state machine does nothing, and its disk can hang.
 */
final class Engine implements AutoCloseable {
    static final String STOCK = "GRPC";
    static final String BENT = ClusterRpc.class.getName();
    static final RaftGroupId GROUP = RaftGroupId.valueOf(new UUID(1, 2));

    /** Within this, nothing happens by itself but the first election, if that is asked for. */
    private static final TimeDuration LONG = TimeDuration.valueOf(10, TimeUnit.MINUTES);

    private static final Consumer<RatisMetricRegistry> NOBODY = metrics -> {};

    private final TestPort port;
    private final RaftProperties properties = new RaftProperties();
    private final Parameters parameters = new Parameters();
    private final Machine machine = new Machine();
    private RaftServer server;

    /** The node {@code n1}, if it is the first one. It is not started. */
    Engine(Path folder, String transport, TestPort port) {
        // As every node does: a JVM that once shows the engine's metrics as beans does so for ever.
        MetricRegistries.global().addReporterRegistration(NOBODY, NOBODY);
        this.port = port;
        properties.set("raft.rpc.type", transport);
        RaftServerConfigKeys.setStorageDir(properties, List.of(folder.toFile()));
        RaftServerConfigKeys.Log.setAppendEntriesComposeEnabled(properties, false);
        RaftServerConfigKeys.Log.setLogMetadataEnabled(properties, false); // an entry more for each
        GrpcConfigKeys.Server.setHost(properties, "127.0.0.1");
        GrpcConfigKeys.Server.setPort(properties, port.number());
        RaftServerConfigKeys.Rpc.setTimeoutMin(properties, LONG);
        RaftServerConfigKeys.Rpc.setTimeoutMax(properties, LONG.multiply(2));
        RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(properties, LONG);
        RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(properties, LONG.multiply(2));
    }

    /** Stands for election soon after its start. */
    Engine standing() {
        RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(
                properties, TimeDuration.valueOf(50, TimeUnit.MILLISECONDS));
        RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(
                properties, TimeDuration.valueOf(100, TimeUnit.MILLISECONDS));
        return this;
    }

    /** Begins to write what a message brings when the last one's is on the disk, as Ratis does by default. */
    Engine composing() {
        RaftServerConfigKeys.Log.setAppendEntriesComposeEnabled(properties, true);
        return this;
    }

    Engine with(Followers followers) {
        followers.putInto(parameters);
        return this;
    }

    Engine start(RaftPeer self, RaftPeer... others) throws IOException {
        build(self, others).server.start();
        return this;
    }

    /** Without a start. */
    Engine build(RaftPeer self, RaftPeer... others) throws IOException {
        server = RaftServer.newBuilder()
                .setServerId(self.getId())
                .setGroup(RaftGroup.valueOf(
                        GROUP, Stream.concat(Stream.of(self), Stream.of(others)).toList()))
                .setStateMachineRegistry(any -> machine)
                .setProperties(properties)
                .setParameters(parameters)
                .setOption(StartupOption.RECOVER)
                .build();
        return this;
    }

    /** Starts {@code n1}, whose only peer {@code n2} is the test. */
    Engine startAsFollower() throws IOException {
        return start(
                peer("n1", port),
                RaftPeer.newBuilder().setId("n2").setAddress("127.0.0.1:1").build());
    }

    static RaftPeer peer(String name, TestPort port) {
        return RaftPeer.newBuilder()
                .setId(name)
                .setAddress("127.0.0.1:" + port.number())
                .build();
    }

    RaftServer server() {
        return server;
    }

    RaftServer.Division division() throws IOException {
        return server.getDivision(GROUP);
    }

    Parameters parameters() {
        return parameters;
    }

    Machine machine() {
        return machine;
    }

    /** One entry, for which nothing is done when it is applied. */
    RaftClientRequest request() {
        return RaftClientRequest.newBuilder()
                .setClientId(ClientId.randomId())
                .setServerId(server.getId())
                .setGroupId(GROUP)
                .setCallId(1)
                .setType(RaftClientRequest.writeRequestType())
                .setMessage(Message.valueOf("entry"))
                .build();
    }

    /** For what other threads do. */
    static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(20));
    }

    @Override
    public void close() throws IOException {
        machine.disk.countDown();
        if (server != null) {
            server.close();
        }
        port.close();
    }

    /** Remembers who asked. */
    static final class Machine extends BaseStateMachine {
        private volatile CountDownLatch disk = new CountDownLatch(0);
        private volatile Thread starter;
        private volatile RaftStorage storage;
        private volatile StateMachineStorage snapshots = super.getStateMachineStorage();

        @Override
        public void initialize(RaftServer server, RaftGroupId group, RaftStorage files) throws IOException {
            super.initialize(server, group, files);
            storage = files;
        }

        /** Where the node keeps its files. */
        RaftStorage storage() {
            return storage;
        }

        /** Has snapshots kept elsewhere from now on. */
        void keepIn(StateMachineStorage other) {
            snapshots = other;
        }

        @Override
        public StateMachineStorage getStateMachineStorage() {
            return snapshots;
        }

        /** From here on, no flush of the log returns, until the disk is mended. */
        void hang() {
            disk = new CountDownLatch(1);
        }

        void mend() {
            disk.countDown();
        }

        /** On which thread the latest entry was begun. */
        Thread starter() {
            return starter;
        }

        @Override
        public CompletableFuture<Void> flush(long index) {
            try {
                disk.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public TransactionContext startTransaction(RaftClientRequest request) throws IOException {
            starter = Thread.currentThread();
            return super.startTransaction(request);
        }
    }
}
