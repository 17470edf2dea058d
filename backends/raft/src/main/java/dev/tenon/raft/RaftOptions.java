package dev.tenon.raft;

import dev.tenon.TimeSource;
import java.util.Objects;
import java.util.Optional;

/**
 * How a {@link RaftBackend} works.
 *
 * @param queueLimit how many requests may wait for the log; beyond it they fail with {@link
 *     dev.tenon.BackendUnavailableException} at once
 * @param snapshotLogBytes after how many bytes of log (or the size of the latest snapshot, if that is more) a snapshot
 *     is taken and the log is cut
 * @param maxStateBytes how much memory the state may take, roughly; what would make it grow beyond that is refused with
 *     {@link StateFullException}. It is in the heap, as a whole, on every node
 * @param time the clocks from which the time in the log is taken
 * @param cluster the nodes, if there are several; empty: this one is alone, and opens no port
 */
public record RaftOptions(
        int queueLimit, long snapshotLogBytes, long maxStateBytes, TimeSource time, Optional<RaftCluster> cluster) {
    /** 10 000 requests, 4 MiB of log, a quarter of the heap, the clocks of this machine, one node. */
    public static final RaftOptions DEFAULT = new RaftOptions(
            10_000, 4 << 20, Runtime.getRuntime().maxMemory() / 4, TimeSource.system(), Optional.empty());

    public RaftOptions {
        if (queueLimit < 1) {
            throw new IllegalArgumentException("Queue limit must be 1 or more: " + queueLimit);
        }
        if (snapshotLogBytes < 1) {
            throw new IllegalArgumentException("Snapshot threshold must be 1 byte or more: " + snapshotLogBytes);
        }
        if (maxStateBytes < 1) {
            throw new IllegalArgumentException("Greatest state must be 1 byte or more: " + maxStateBytes);
        }
        Objects.requireNonNull(time, "time");
        Objects.requireNonNull(cluster, "cluster");
    }

    /** The same, but for the queue. */
    public RaftOptions withQueueLimit(int limit) {
        return new RaftOptions(limit, snapshotLogBytes, maxStateBytes, time, cluster);
    }

    /** The same, but for snapshots. */
    public RaftOptions withSnapshotLogBytes(long bytes) {
        return new RaftOptions(queueLimit, bytes, maxStateBytes, time, cluster);
    }

    /** The same, but for the state. */
    public RaftOptions withMaxStateBytes(long bytes) {
        return new RaftOptions(queueLimit, snapshotLogBytes, bytes, time, cluster);
    }

    /** The same, but for the clocks. */
    public RaftOptions withTime(TimeSource source) {
        return new RaftOptions(queueLimit, snapshotLogBytes, maxStateBytes, source, cluster);
    }

    /** The same, as one of several nodes. */
    public RaftOptions withCluster(RaftCluster nodes) {
        return new RaftOptions(queueLimit, snapshotLogBytes, maxStateBytes, time, Optional.of(nodes));
    }
}
