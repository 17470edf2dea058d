package dev.tenon.raft;

import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.client.RaftClientRpc;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.retry.RetryPolicies;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes clients of other nodes, which try once, and keeps one for the entries. Thread-safe. */
final class RatisClients implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RatisClients.class);

    private final RaftProperties properties;
    private final ClusterRpc.Settings settings;
    private final ReentrantLock mutex = new ReentrantLock();
    private @Nullable RaftClient shared;
    private @Nullable RaftGroup sharedGroup;

    RatisClients(RaftProperties properties, ClusterRpc.Settings settings) {
        this.properties = properties;
        this.settings = settings;
    }

    /** A new one; the caller closes it. */
    RaftClient of(RaftGroup group) throws IOException {
        return of(group, null, properties);
    }

    /** A new one that changes the members; the caller closes it. */
    RaftClient ofAdmin(RaftGroup group, @Nullable RaftPeerId leader) throws IOException {
        return of(group, leader, RatisProperties.patient(properties));
    }

    private RaftClient of(RaftGroup group, @Nullable RaftPeerId leader, RaftProperties how) throws IOException {
        RaftClient.Builder builder = RaftClient.newBuilder()
                .setRaftGroup(group)
                .setProperties(how)
                .setParameters(settings.asParameters(how))
                .setRetryPolicy(RetryPolicies.noRetry());
        if (leader != null) {
            builder.setLeaderId(leader);
        }
        return builder.build();
    }

    /** The one that is kept; another one when the members have changed. */
    RaftClientRpc shared(RaftGroup group) throws IOException {
        mutex.lock();
        try {
            RaftClient known = shared;
            if (known == null || !group.equals(sharedGroup)) {
                close();
                known = of(group);
                shared = known;
                sharedGroup = group;
            }
            return known.getClientRpc();
        } finally {
            mutex.unlock();
        }
    }

    /** Connects anew to a node with which something went wrong. */
    void reconnect(RaftPeerId to, Throwable problem) {
        mutex.lock();
        try {
            if (shared != null) {
                shared.getClientRpc().handleException(to, problem, true);
            }
        } catch (RuntimeException e) {
            LOG.debug("No new connection to {}", to, e);
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public void close() throws IOException {
        mutex.lock();
        try {
            if (shared != null) {
                shared.close();
            }
            shared = null;
        } finally {
            mutex.unlock();
        }
    }
}
