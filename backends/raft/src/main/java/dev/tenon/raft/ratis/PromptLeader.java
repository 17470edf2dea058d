package dev.tenon.raft.ratis;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.CommitInfoProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;
import org.apache.ratis.server.protocol.TermIndex;

/**
 * What a leader does with the answers of one follower: as Ratis does, and a follower that says it has written an entry
 * which the others had written before is told once more that this is committed. It can't use the word that came
 * earlier: it takes for committed only what it has on its disk, and would learn the rest with the next heartbeat.
 * Thread-safe.
 *
 * <p>Bends {@code LeaderState} by standing between it and the appenders, which call it for each answer. Why: ADR 17;
 * for a follower that has forgotten entries, ADR 69. Goes when a follower remembers a commit index that was ahead of
 * its disk, or its leader repeats it at once. Source: {@code RaftLogBase.updateCommitIndex} and {@code
 * LogAppenderBase.getNextIndexForInconsistency} of Ratis 3.3.0.
 */
final class PromptLeader implements LeaderState {
    /** A message that comes late may be answered so by a follower that has all. */
    private static final int CERTAIN = 5;

    private final LeaderState leader;
    private final LongSupplier awaited;
    private final Forgetful forgetful;
    private final AtomicLong told = new AtomicLong(-1);
    private final AtomicInteger inARow = new AtomicInteger();

    /** Who is told of a follower that has less than it had confirmed. */
    interface Forgetful {
        /**
         * @param follower its identity
         * @param confirmed index of an entry that it had
         * @param last index of the latest entry that it has
         */
        void has(String follower, long confirmed, long last);
    }

    /**
     * @param awaited the greatest index of an entry that somebody at a follower waits for
     */
    PromptLeader(LeaderState leader, LongSupplier awaited, Forgetful forgetful) {
        this.leader = leader;
        this.awaited = awaited;
        this.forgetful = forgetful;
    }

    @Override
    public void onAppendEntriesReply(LogAppender appender, AppendEntriesReplyProto reply) {
        leader.onAppendEntriesReply(appender, reply);
        FollowerInfo follower = appender.getFollower();
        if (reply.getResult() == AppendResult.INCONSISTENCY) {
            // Ratis goes back no further than to what was confirmed, and tries that for ever.
            long confirmed = Math.max(follower.getMatchIndex(), committedBefore(appender));
            boolean less = reply.getNextIndex() <= confirmed;
            if (less && inARow.incrementAndGet() == CERTAIN) {
                forgetful.has(follower.getId().toString(), confirmed, reply.getNextIndex() - 1);
            }
        } else {
            inARow.set(0);
        }
        long index = awaited.getAsLong();
        if (follower.getMatchIndex() >= index && follower.getCommitIndex() < index) {
            long before = told.getAndAccumulate(index, Math::max);
            if (before < index) {
                appender.triggerHeartbeat(); // once: what is lost comes with the next one in time
            }
        }
    }

    private static long committedBefore(LogAppender appender) {
        return appender.getServer().getCommitInfos().stream()
                .filter(info ->
                        info.getServer().getId().equals(appender.getFollowerId().toByteString()))
                .mapToLong(CommitInfoProto::getCommitIndex)
                .max()
                .orElse(-1);
    }

    @Override
    public void restart(LogAppender appender) {
        leader.restart(appender);
    }

    @Override
    public AppendEntriesRequestProto newAppendEntriesRequestProto(
            FollowerInfo follower, List<LogEntryProto> entries, TermIndex previous, long callId) {
        return leader.newAppendEntriesRequestProto(follower, entries, previous, callId);
    }

    @Override
    public void checkHealth(FollowerInfo follower) {
        leader.checkHealth(follower);
    }

    @Override
    public boolean onFollowerTerm(FollowerInfo follower, long term) {
        return leader.onFollowerTerm(follower, term);
    }

    @Override
    public void onFollowerCommitIndex(FollowerInfo follower, long commitIndex) {
        leader.onFollowerCommitIndex(follower, commitIndex);
    }

    @Override
    public void onFollowerSuccessAppendEntries(FollowerInfo follower) {
        leader.onFollowerSuccessAppendEntries(follower);
    }

    @Override
    public boolean isFollowerBootstrapping(FollowerInfo follower) {
        return leader.isFollowerBootstrapping(follower);
    }
}
