package dev.tenon.raft;

import dev.tenon.raft.ratis.FolderListener;
import dev.tenon.raft.ratis.Followers;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node, and its clients of other nodes, share with their transport; and what that has seen of data folders.
 * Thread-safe.
 */
final class NodeTransport implements FolderListener {
    private static final Logger LOG = LoggerFactory.getLogger(NodeTransport.class);

    private final Optional<RaftCluster> cluster;
    private final Followers followers = new Followers(this);
    private final Map<String, String> troubles = new ConcurrentHashMap<>();
    private volatile Consumer<String> listener = trouble -> {};

    NodeTransport(Optional<RaftCluster> cluster) {
        this.cluster = cluster;
    }

    /**
     * For a node, or for a client of one.
     *
     * @param properties the same's
     */
    Parameters asParameters(RaftProperties properties) {
        Parameters parameters = new Parameters();
        followers.putInto(parameters);
        cluster.flatMap(RaftCluster::transportSecurity).ifPresent(tls -> {
            // For everything: the port of a node is one, for other nodes, their clients and the administrator's calls.
            GrpcConfigKeys.TLS.setConf(parameters, tls);
            GrpcConfigKeys.Server.setServicesCustomizer(parameters, new NodeDoor(GrpcConfigKeys.useEpoll(properties)));
        });
        return parameters;
    }

    /** Those to whom this node sends its entries, if it leads. */
    Followers followers() {
        return followers;
    }

    /** Who is told why this node must not take part. */
    void whenInTrouble(Consumer<String> told) {
        listener = told;
    }

    /** What is wrong with members, by their identities, as this node has seen while it led. */
    Map<String, String> troubles() {
        return Map.copyOf(troubles);
    }

    @Override
    public void isOlder(String trouble) {
        listener.accept(trouble);
    }

    @Override
    public void isOlder(String follower, String trouble) {
        if (troubles.put(follower, trouble) == null) {
            String name = FolderVersion.nameOf(follower);
            LOG.error("The data folder of node {} is an {}. {}", name, trouble, DataFolder.anew(name));
        }
    }
}
