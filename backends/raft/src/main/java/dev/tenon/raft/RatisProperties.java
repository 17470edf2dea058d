package dev.tenon.raft;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;

/** How Ratis is set up, and why. */
final class RatisProperties {
    /** The greatest entry. */
    static final int ENTRY_BYTES_MAX = 2 << 20;

    private static final TimeDuration NEVER = TimeDuration.valueOf(10_000, TimeUnit.DAYS);

    private RatisProperties() {}

    static RaftProperties of(Path storage) {
        RaftProperties properties = new RaftProperties();
        properties.set("raft.rpc.type", LocalRpc.class.getName());
        RaftServerConfigKeys.setStorageDir(properties, List.of(storage.toFile()));
        setLog(properties);
        // Nobody else can be leader: the first election of a group of one need not wait for others.
        RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(properties, millis(5));
        RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(properties, millis(10));
        // After a pause (a stopped process, a sleeping laptop) nobody else has taken over, so it just goes on. By
        // default
        // Ratis steps down after 10 seconds, and closes itself for good after a minute.
        RaftServerConfigKeys.LeaderElection.setLeaderStepDownWaitTime(properties, NEVER);
        RaftServerConfigKeys.setCloseThreshold(properties, NEVER);
        return properties;
    }

    private static void setLog(RaftProperties properties) {
        // Otherwise each entry is followed by another one, with its own fsync, that says it is committed; the next
        // command
        // of a single client then waits for both. On restart the commit index comes with the new leader's first entry.
        RaftServerConfigKeys.Log.setLogMetadataEnabled(properties, false);
        RaftServerConfigKeys.Log.setCorruptionPolicy(properties, RaftServerConfigKeys.Log.CorruptionPolicy.EXCEPTION);
        // All of a segment that a snapshot covers is deleted; small segments keep the log, and thus a restart, short.
        RaftServerConfigKeys.Log.setSegmentSizeMax(properties, SizeInBytes.valueOf("4MB"));
        RaftServerConfigKeys.Log.setPreallocatedSize(properties, SizeInBytes.valueOf("1MB"));
        RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(properties, true);
        RaftServerConfigKeys.Log.setPurgeGap(properties, 1);
        RaftServerConfigKeys.Log.Appender.setBufferByteLimit(properties, SizeInBytes.valueOf(ENTRY_BYTES_MAX));
        RaftServerConfigKeys.Log.setWriteBufferSize(properties, SizeInBytes.valueOf(ENTRY_BYTES_MAX + 1024));
        RaftServerConfigKeys.Snapshot.setRetentionFileNum(properties, 2);
        RaftServerConfigKeys.Snapshot.setCreationGap(properties, 1);
    }

    private static TimeDuration millis(long millis) {
        return TimeDuration.valueOf(millis, TimeUnit.MILLISECONDS);
    }
}
