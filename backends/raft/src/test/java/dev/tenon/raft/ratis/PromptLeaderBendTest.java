package dev.tenon.raft.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;
import org.junit.jupiter.api.Test;

/** That Ratis calls it for each answer is seen in {@link ClusterRpcBendTest}. */
class PromptLeaderBendTest extends FollowerBends {
    private final AtomicLong match = new AtomicLong();
    private final AtomicLong commit = new AtomicLong(-1);
    private final AtomicInteger heartbeats = new AtomicInteger();
    private final AtomicInteger passedOn = new AtomicInteger();
    private final List<String> forgetful = new ArrayList<>();

    @Test
    void aFollowerOfRatisForgetsACommitIndexThatIsAheadOfItsDisk() throws Exception {
        open(Engine.STOCK);
        get(leader.entry(0));
        engine.machine().hang();
        CompletableFuture<AppendEntriesReplyProto> second = leader.entry(1);
        Engine.soon().until(() -> engine.division().getRaftLog().getNextIndex() == 2);
        get(leader.heartbeat(1, 1));
        engine.machine().mend();

        assertThat(get(second).getMatchIndex()).isEqualTo(1);

        assertThat(engine.division().getRaftLog().getFlushIndex()).isEqualTo(1);
        assertThat(engine.division().getRaftLog().getLastCommittedIndex()).isZero();
        get(leader.heartbeat(1, 1)); // what ours sends at once
        assertThat(engine.division().getRaftLog().getLastCommittedIndex()).isEqualTo(1);
    }

    @Test
    void oursTellsItOnceMore() {
        PromptLeader leader = leader(7);
        LogAppender appender = appender();
        match.set(6);
        leader.onAppendEntriesReply(appender, reply(AppendResult.SUCCESS, 7));
        assertThat(heartbeats).hasValue(0);
        match.set(7);
        leader.onAppendEntriesReply(appender, reply(AppendResult.SUCCESS, 8));
        leader.onAppendEntriesReply(appender, reply(AppendResult.SUCCESS, 8));
        assertThat(heartbeats).hasValue(1);
        assertThat(passedOn).hasValue(3);
    }

    @Test
    void oursTellsNothingThatTheFollowerKnows() {
        match.set(7);
        commit.set(7);
        leader(7).onAppendEntriesReply(appender(), reply(AppendResult.SUCCESS, 8));
        assertThat(heartbeats).hasValue(0);
    }

    /** Ratis' appender goes back to what was confirmed, and sends that again, for ever. */
    @Test
    void oursNoticesAFollowerThatHasLessThanItHadConfirmed() {
        PromptLeader leader = leader(-1);
        match.set(9);
        for (int i = 0; i < 4; i++) {
            leader.onAppendEntriesReply(appender(), reply(AppendResult.INCONSISTENCY, 5));
        }
        assertThat(forgetful).isEmpty();
        leader.onAppendEntriesReply(appender(), reply(AppendResult.INCONSISTENCY, 5));
        leader.onAppendEntriesReply(appender(), reply(AppendResult.INCONSISTENCY, 5));
        assertThat(forgetful).containsExactly("n2 had 9, has 4");
    }

    private PromptLeader leader(long awaited) {
        LeaderState state = only(LeaderState.class, (proxy, method, arguments) -> {
            passedOn.incrementAndGet();
            return null;
        });
        return new PromptLeader(
                state,
                () -> awaited,
                (id, confirmed, last) -> forgetful.add(id + " had " + confirmed + ", has " + last));
    }

    private LogAppender appender() {
        FollowerInfo follower = only(FollowerInfo.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "getId" -> RaftPeerId.valueOf("n2");
            case "getMatchIndex" -> match.get();
            case "getCommitIndex" -> commit.get();
            default -> throw new AssertionError(method);
        });
        RaftServer.Division division =
                only(RaftServer.Division.class, (proxy, method, arguments) -> switch (method.getName()) {
                    case "getCommitInfos" -> List.of();
                    default -> throw new AssertionError(method);
                });
        return only(LogAppender.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "getFollower" -> follower;
            case "getFollowerId" -> RaftPeerId.valueOf("n2");
            case "getServer" -> division;
            case "triggerHeartbeat" -> {
                heartbeats.incrementAndGet();
                yield null;
            }
            default -> throw new AssertionError(method);
        });
    }

    private static AppendEntriesReplyProto reply(AppendResult result, long next) {
        return AppendEntriesReplyProto.newBuilder()
                .setResult(result)
                .setNextIndex(next)
                .build();
    }

    private static <T> T only(Class<T> type, InvocationHandler calls) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, calls));
    }
}
