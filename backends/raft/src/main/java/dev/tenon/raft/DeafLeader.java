package dev.tenon.raft;

import dev.tenon.DaemonThreads;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.ratis.client.impl.ClientProtoUtils;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LogAppender;
import org.apache.ratis.server.protocol.TermIndex;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A leader whose followers do not answer may be heard by them: as long as it sends, none of them stands for election,
 * and nobody is served. So after an election timeout without answers of a majority of the members it asks them to
 * stand, one after the other. That is harmless whatever the reason: whoever is elected has all that was committed, and
 * whoever follows another one already does not listen.
 *
 * <p>A process that stood still has heard nobody either: it must have looked several times. One thread looks; any
 * thread may close.
 */
final class DeafLeader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DeafLeader.class);
    /** Looks in an election timeout. */
    private static final int LOOKS = 10;
    /** In a row without an answer: what waits to be read after a standstill is read by then. */
    private static final int LOOKS_IN_A_ROW = 8;

    private final ScheduledExecutorService scheduler =
            new ScheduledThreadPoolExecutor(1, DaemonThreads.named("tenon-raft-hearing"));
    private final RatisNode node;
    private final Duration electionTimeout;
    private final Set<RaftPeerId> asked = new HashSet<>();
    private int looks;

    DeafLeader(RatisNode node, Duration electionTimeout) {
        this.node = node;
        this.electionTimeout = electionTimeout;
    }

    /** Looks from now on. */
    void start() {
        long pause = electionTimeout.toNanos() / LOOKS;
        scheduler.scheduleWithFixedDelay(this::runOnce, pause, pause, TimeUnit.NANOSECONDS);
    }

    private void runOnce() {
        try {
            node.division()
                    .filter(here -> here.getInfo().isLeader() && !isHeard(here))
                    .ifPresentOrElse(this::look, this::reset);
        } catch (RuntimeException e) {
            LOG.warn("It could not be seen whether the others answer", e);
        }
    }

    private void reset() {
        looks = 0;
        asked.clear();
    }

    private void look(RaftServer.Division here) {
        looks++;
        // One after the other: two that stand at once take the votes from each other.
        if (looks % LOOKS == LOOKS_IN_A_ROW) {
            RaftConfiguration members = here.getRaftConf();
            node.appenders().stream()
                    .map(LogAppender::getFollower)
                    .filter(follower -> isIn(members.getCurrentPeers(), follower.getId()))
                    .filter(follower -> !asked.contains(follower.getId()))
                    .max(Comparator.comparingLong(FollowerInfo::getMatchIndex))
                    .ifPresent(follower -> ask(here, follower.getId()));
        }
    }

    private boolean isHeard(RaftServer.Division here) {
        if (here.getInfo().getRoleInfoProto().getRoleElapsedTimeMs() < electionTimeout.toMillis()) {
            return true; // it was elected just now
        }
        Set<RaftPeerId> answering = node.appenders().stream()
                .map(LogAppender::getFollower)
                .filter(follower -> follower.getLastRpcResponseTime().elapsedTimeMs() <= electionTimeout.toMillis())
                .map(FollowerInfo::getId)
                .collect(Collectors.toSet());
        answering.add(here.getMemberId().getPeerId());
        RaftConfiguration members = here.getRaftConf();
        return isMajority(answering, members.getCurrentPeers()) && isMajority(answering, members.getPreviousPeers());
    }

    /** Those that are only being added do not count: nobody needs them yet. */
    static boolean isMajority(Set<RaftPeerId> answering, Collection<RaftPeer> members) {
        return members.isEmpty()
                || members.stream()
                                .filter(member -> answering.contains(member.getId()))
                                .count()
                        > members.size() / 2;
    }

    private static boolean isIn(Collection<RaftPeer> members, RaftPeerId id) {
        return members.stream().anyMatch(member -> member.getId().equals(id));
    }

    private void ask(RaftServer.Division here, RaftPeerId follower) {
        asked.add(follower);
        LOG.warn(
                "This node leads, and no majority answers it: {} may stand for election",
                FolderVersion.nameOf(follower.toString()));
        TermIndex reached = TermIndex.valueOf(
                here.getInfo().getCurrentTerm(), here.getRaftLog().getLastCommittedIndex());
        StartLeaderElectionRequestProto request = StartLeaderElectionRequestProto.newBuilder()
                .setServerRequest(ClientProtoUtils.toRaftRpcRequestProtoBuilder(here.getMemberId(), follower))
                .setLeaderLastEntry(reached.toProto())
                .build();
        // It waits for an answer that may not come.
        Thread asking = DaemonThreads.of("tenon-raft-hearing-ask", () -> {
            try {
                here.getRaftServer().getServerRpc().startLeaderElection(request);
            } catch (IOException | RuntimeException e) { // gRPC throws its own
                LOG.debug("{} does not answer", follower, e);
            }
        });
        asking.start();
    }

    @Override
    public void close() {
        scheduler.shutdownNow();
    }
}
