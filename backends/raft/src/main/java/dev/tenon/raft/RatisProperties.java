package dev.tenon.raft;

import dev.tenon.raft.ratis.ClusterRpc;
import dev.tenon.raft.ratis.LocalRpc;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.ratis.client.RaftClientConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.metrics.MetricRegistries;
import org.apache.ratis.metrics.RatisMetricRegistry;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;

/** How Ratis is set up, and why. */
final class RatisProperties {
    /** The greatest entry. */
    static final int ENTRY_BYTES_MAX = 2 << 20;

    private static final TimeDuration NEVER = TimeDuration.valueOf(10_000, TimeUnit.DAYS);

    /** How long a node that is to be let in may be silent. */
    private static final TimeDuration STAGING_MAX = TimeDuration.valueOf(20, TimeUnit.SECONDS);

    private static final Consumer<RatisMetricRegistry> NOBODY = metrics -> {};

    private RatisProperties() {}

    /**
     * Has Ratis tell its metrics nobody. Where nobody has asked for them it shows them by JMX, each as a bean, which is a tenth of the
     * start of a node. Whoever wants that calls {@code
     * MetricRegistries.global().enableJmxReporter()} first.
     */
    static void withoutReporters() {
        Objects.requireNonNull(Nobody.REGISTERED);
    }

    /** Once a process, and never taken back: a node that started at that moment would find nobody asked, and make beans. */
    private static final class Nobody {
        static final MetricRegistries REGISTERED = register();

        private static MetricRegistries register() {
            MetricRegistries all = MetricRegistries.global();
            all.addReporterRegistration(NOBODY, NOBODY);
            return all;
        }
    }

    /** For clients that change the members, which takes as long as a new one needs to catch up. */
    static RaftProperties patient(RaftProperties properties) {
        RaftProperties patient = new RaftProperties(properties);
        RaftClientConfigKeys.Rpc.setRequestTimeout(patient, TimeDuration.valueOf(10, TimeUnit.MINUTES));
        return patient;
    }

    static RaftProperties of(Path storage, Optional<RaftCluster> cluster) {
        RaftProperties properties = new RaftProperties();
        RaftServerConfigKeys.setStorageDir(properties, List.of(storage.toFile()));
        setLog(properties);
        if (cluster.isPresent()) {
            setCluster(properties, cluster.get());
        } else {
            properties.set("raft.rpc.type", LocalRpc.class.getName());
            // Nobody else can be leader: the first election of a group of one need not wait for others.
            RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(properties, millis(5));
            RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(properties, millis(10));
            // After a pause (a stopped process, a sleeping laptop) nobody else has taken over, so it just goes on.
            RaftServerConfigKeys.LeaderElection.setLeaderStepDownWaitTime(properties, NEVER);
        }
        // By default Ratis closes itself for good after a pause of a minute.
        RaftServerConfigKeys.setCloseThreshold(properties, NEVER);
        return properties;
    }

    private static void setCluster(RaftProperties properties, RaftCluster cluster) {
        properties.set("raft.rpc.type", ClusterRpc.class.getName());
        GrpcConfigKeys.Server.setHost(properties, cluster.listen().getHostString());
        GrpcConfigKeys.Server.setPort(properties, cluster.listen().getPort());
        if (cluster.tls().isPresent() || cluster.secret().isPresent()) {
            // NodeDoor needs to know the kind of threads, and gRPC's own are of a kind that it does not tell.
            GrpcConfigKeys.Server.setBossGroupSize(properties, 1);
            GrpcConfigKeys.Server.setWorkerGroupSize(
                    properties, 2 * Runtime.getRuntime().availableProcessors());
        }
        long election = cluster.electionTimeout().toMillis();
        RaftServerConfigKeys.Rpc.setTimeoutMin(properties, millis(election));
        // A follower looks again after a timeout by chance, and stands if it has heard nothing since it looked last:
        // after twice
        // this one at the latest.
        RaftServerConfigKeys.Rpc.setTimeoutMax(properties, millis(election + election / 2));
        RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(properties, millis(election / 4));
        RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(properties, millis(election));
        RaftServerConfigKeys.Rpc.setRequestTimeout(properties, millis(2 * election));
        RaftClientConfigKeys.Rpc.setRequestTimeout(properties, millis(4 * election));
        RaftServerConfigKeys.LeaderElection.setLeaderStepDownWaitTime(properties, millis(2 * election));
        RaftServerConfigKeys.setStagingTimeout(properties, STAGING_MAX);
        // By default it waits up to a millisecond between two messages to one follower.
        RaftServerConfigKeys.Log.Appender.setWaitTimeMin(properties, TimeDuration.ZERO);
        // By default a node that follows begins to write what one message brought when the last one's is on its disk: a
        // slow
        // disk then never catches up. OrderedEntries keeps what that was good for.
        RaftServerConfigKeys.Log.setAppendEntriesComposeEnabled(properties, false);
        // Else a node that was cut off comes back with a greater term, and ends the leader's for nothing.
        RaftServerConfigKeys.LeaderElection.setPreVote(properties, true);
    }

    private static void setLog(RaftProperties properties) {
        // Otherwise each entry is followed by another one, with its own fsync, that says it is committed; the next
        // command of a single client then waits for both. On restart the commit index comes with the new leader's first
        // entry.
        RaftServerConfigKeys.Log.setLogMetadataEnabled(properties, false);
        RaftServerConfigKeys.Log.setCorruptionPolicy(properties, RaftServerConfigKeys.Log.CorruptionPolicy.EXCEPTION);
        // All of a segment that a snapshot covers is deleted; small segments keep the log, and thus a restart, short.
        RaftServerConfigKeys.Log.setSegmentSizeMax(properties, SizeInBytes.valueOf("4MB"));
        // Entries that were applied are kept in memory for followers that are behind; the rest they get from the disk.
        RaftServerConfigKeys.Log.setSegmentCacheNumMax(properties, 2);
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
