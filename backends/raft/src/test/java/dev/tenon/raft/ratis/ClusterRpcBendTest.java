package dev.tenon.raft.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.testkit.TestPort;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.grpc.GrpcFactory;
import org.apache.ratis.grpc.server.GrpcLogAppender;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;
import org.apache.ratis.server.raftlog.RaftLogIOException;
import org.apache.ratis.util.AwaitForSignal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes, of which one leads: what Ratis makes, and calls, of what is ours. */
@Timeout(180)
class ClusterRpcBendTest {
    @TempDir
    private Path folder;

    private final TestPort[] ports = {TestPort.reserve(), TestPort.reserve()};
    private Engine first;
    private Engine second;

    @AfterEach
    void close() throws IOException {
        first.close();
        second.close();
    }

    @Test
    void ratisTakesTheAppenderThatIsMadeForIt() throws Exception {
        Followers followers = new Followers(new NoTrouble());
        lead(Engine.BENT, engine -> followers.putInto(engine.parameters()));

        write();

        List<LogAppender> appenders = followers.appenders();
        assertThat(appenders).hasSize(1).hasOnlyElementsOfType(PromptAppender.class);
        assertThat(appenders.get(0).getLeaderState()).isInstanceOf(PromptLeader.class);
        followers.tellCommit();
        FollowerInfo follower = appenders.get(0).getFollower();
        Engine.soon()
                .until(() -> follower.getCommitIndex()
                        == first.division().getRaftLog().getLastCommittedIndex());
    }

    @Test
    void ratisCallsWhatIsOverridden() throws Exception {
        Calls calls = new Calls();
        lead(CountingRpc.class.getName(), engine -> engine.parameters().put(Calls.KEY, calls, Calls.class));

        write();

        for (String method : List.of(
                "newAppendEntriesRequest",
                "resetHeartbeatTrigger",
                "getEventAwaitForSignal",
                "await",
                "onAppendEntriesReply")) {
            Engine.soon()
                    .untilAsserted(() -> assertThat(calls.of(method)).as(method).isPositive());
        }
        int before = calls.of("onAppendEntriesReply");
        write();
        Engine.soon().until(() -> calls.of("onAppendEntriesReply") > before);
    }

    private interface Preparation {
        void of(Engine engine);
    }

    private void lead(String transport, Preparation preparation) throws IOException {
        first = new Engine(folder.resolve("n1"), transport, ports[0]).standing();
        second = new Engine(folder.resolve("n2"), Engine.BENT, ports[1]);
        preparation.of(first);
        second.start(Engine.peer("n2", ports[1]), Engine.peer("n1", ports[0]));
        first.start(Engine.peer("n1", ports[0]), Engine.peer("n2", ports[1]));
        Engine.soon().until(() -> first.division().getInfo().isLeaderReady());
    }

    private void write() throws Exception {
        assertThat(first.server()
                        .submitClientRequestAsync(first.request())
                        .get(60, TimeUnit.SECONDS)
                        .isSuccess())
                .isTrue();
    }

    private static final class NoTrouble implements FolderListener {
        @Override
        public void isOlder(String trouble) {
            throw new AssertionError(trouble);
        }

        @Override
        public void isOlder(String follower, String trouble) {
            throw new AssertionError(follower + trouble);
        }
    }

    /** How often each method was called. */
    static final class Calls {
        static final String KEY = "calls";
        private final Map<String, AtomicInteger> counts = new ConcurrentHashMap<>();

        void count(String method) {
            counts.computeIfAbsent(method, any -> new AtomicInteger()).incrementAndGet();
        }

        int of(String method) {
            return Optional.ofNullable(counts.get(method))
                    .map(AtomicInteger::get)
                    .orElse(0);
        }
    }

    /** As {@link ClusterRpc}, with our classes, and counts the calls of what they override. */
    static final class CountingRpc implements RpcType {
        @Override
        public String name() {
            return "GRPC";
        }

        @Override
        public RpcFactory newFactory(Parameters parameters) {
            Calls calls = parameters.get(Calls.KEY, Calls.class);
            return new GrpcFactory(parameters) {
                @Override
                public LogAppender newLogAppender(
                        RaftServer.Division server, LeaderState state, FollowerInfo follower) {
                    PromptLeader leader = new PromptLeader(
                            state,
                            () -> {
                                calls.count("onAppendEntriesReply");
                                return -1;
                            },
                            (id, confirmed, last) -> {});
                    return new CountingAppender(server, leader, follower, calls);
                }
            };
        }
    }

    private static final class CountingAppender extends PromptAppender {
        private final Calls calls;

        CountingAppender(RaftServer.Division server, LeaderState leader, FollowerInfo follower, Calls calls) {
            super(server, leader, follower);
            this.calls = calls;
        }

        @Override
        public AwaitForSignal getEventAwaitForSignal() {
            calls.count("getEventAwaitForSignal");
            boolean waiting = Stream.of(Thread.currentThread().getStackTrace())
                    .anyMatch(frame -> frame.getClassName().equals(GrpcLogAppender.class.getName())
                            && frame.getMethodName().equals("mayWait"));
            if (waiting) {
                calls.count("await");
            }
            return super.getEventAwaitForSignal();
        }

        @Override
        public AppendEntriesRequestProto newAppendEntriesRequest(long callId, boolean heartbeat)
                throws RaftLogIOException {
            calls.count("newAppendEntriesRequest");
            return super.newAppendEntriesRequest(callId, heartbeat);
        }

        @Override
        protected void resetHeartbeatTrigger() {
            calls.count("resetHeartbeatTrigger");
            super.resetHeartbeatTrigger();
        }
    }
}
