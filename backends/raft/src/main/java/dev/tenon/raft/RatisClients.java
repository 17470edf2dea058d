package dev.tenon.raft;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.ratis.client.RaftClient;
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
    private final NodeTransport transport;
    private final ReentrantLock mutex = new ReentrantLock();
    private final Set<RaftPeerId> underWay = ConcurrentHashMap.newKeySet();
    private final ExecutorService reconnecting = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "tenon-raft-reconnect");
        thread.setDaemon(true);
        return thread;
    });
    private @Nullable RaftClient shared;
    private @Nullable RaftGroup sharedGroup;

    RatisClients(RaftProperties properties, NodeTransport transport) {
        this.properties = properties;
        this.transport = transport;
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
                .setParameters(transport.asParameters(how))
                .setRetryPolicy(RetryPolicies.noRetry());
        if (leader != null) {
            builder.setLeaderId(leader);
        }
        return builder.build();
    }

    /** The one that is kept; another one when the members have changed. */
    RaftClient shared(RaftGroup group) throws IOException {
        mutex.lock();
        try {
            RaftClient known = shared;
            if (known == null || !group.equals(sharedGroup)) {
                closeShared();
                known = of(group);
                shared = known;
                sharedGroup = group;
            }
            return known;
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Connects anew to a node with which something went wrong. Another thread does so: the engine waits for seconds until the
     * old connection is over.
     */
    void reconnect(RaftClient used, RaftPeerId to, Throwable problem) {
        if (!underWay.add(to)) {
            return;
        }
        try {
            reconnecting.execute(() -> {
                try {
                    used.getClientRpc().handleException(to, problem, true);
                } catch (RuntimeException e) {
                    LOG.debug("No new connection to {}", to, e);
                } finally {
                    underWay.remove(to);
                }
            });
        } catch (RejectedExecutionException e) {
            LOG.debug("Closed", e);
        }
    }

    private void closeShared() throws IOException {
        RaftClient known = shared;
        shared = null;
        if (known != null) {
            known.close();
        }
    }

    @Override
    public void close() throws IOException {
        reconnecting.shutdownNow();
        mutex.lock();
        try {
            closeShared();
        } finally {
            mutex.unlock();
        }
    }
}
