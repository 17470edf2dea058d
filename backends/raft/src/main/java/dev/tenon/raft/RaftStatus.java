package dev.tenon.raft;

import dev.tenon.lock.spi.TableLoad;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.metrics.Timekeeper;
import org.apache.ratis.metrics.impl.DefaultTimekeeperImpl;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.metrics.SegmentedRaftLogMetrics;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.statemachine.SnapshotInfo;

/**
 * How one node is, by what it knows without asking others.
 *
 * @param leads whether it is the leader
 * @param term the number of the latest election that it knows of
 * @param last index of the latest entry in its log
 * @param committed index of the latest entry that it knows to be on a majority
 * @param applied index of the latest entry that it has applied
 * @param snapshot index up to which its latest snapshot goes; 0: there is none
 * @param disk how long the log takes to reach the disk
 * @param load what is in it
 */
public record RaftStatus(
        boolean leads, long term, long last, long committed, long applied, long snapshot, Disk disk, TableLoad load) {
    /**
     * Writes of the log that reached the disk, since this node started.
     *
     * @param syncs how many
     * @param median of the latest ones, weighted to the last five minutes
     * @param p99 of the same
     */
    public record Disk(long syncs, Duration median, Duration p99) {
        /** Nothing is known. */
        static final Disk UNKNOWN = new Disk(0, Duration.ZERO, Duration.ZERO);
    }

    static RaftStatus of(RatisNode node, Replica replica) {
        TableLoad load = replica.look(state -> state.locks().load());
        return node.division()
                .map(division -> of(division, load))
                .orElseGet(() -> new RaftStatus(false, 0, 0, 0, 0, 0, Disk.UNKNOWN, load));
    }

    private static RaftStatus of(RaftServer.Division division, TableLoad load) {
        RaftLog log = division.getRaftLog();
        SnapshotInfo snapshot = division.getStateMachine().getLatestSnapshot();
        return new RaftStatus(
                division.getInfo().isLeader(),
                division.getInfo().getCurrentTerm(),
                Math.max(0, log.getNextIndex() - 1),
                Math.max(0, log.getLastCommittedIndex()),
                Math.max(0, division.getInfo().getLastAppliedIndex()),
                snapshot == null ? 0 : snapshot.getIndex(),
                disk(log),
                load);
    }

    private static Disk disk(RaftLog log) {
        if (!(log.getRaftLogMetrics() instanceof SegmentedRaftLogMetrics metrics)) {
            return Disk.UNKNOWN;
        }
        Timekeeper keeper = metrics.getSyncTimer();
        if (!(keeper instanceof DefaultTimekeeperImpl known)) {
            return Disk.UNKNOWN;
        }
        var timer = known.getTimer();
        var latest = timer.getSnapshot();
        return new Disk(timer.getCount(), nanos(latest.getMedian()), nanos(latest.get99thPercentile()));
    }

    private static Duration nanos(double nanos) {
        return Duration.of(Math.round(nanos), TimeUnit.NANOSECONDS.toChronoUnit());
    }
}
