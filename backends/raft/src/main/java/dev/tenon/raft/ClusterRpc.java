package dev.tenon.raft;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.grpc.GrpcFactory;
import org.apache.ratis.grpc.server.GrpcServices;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The transport between the nodes of a cluster: that of Ratis on gRPC, and two things more. A node takes nothing that
 * is meant for another one ({@link OwnMail}). And the followers are told at once how far the log is committed: Ratis
 * tells them with the next entry, or the next heartbeat, for which a client of a follower would wait, as its answer
 * comes from the follower's own replica.
 *
 * <p>Ratis makes an instance by the name of this class.
 */
final class ClusterRpc implements RpcType {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterRpc.class);
    private static final String SETTINGS = "dev.tenon.raft.settings";

    ClusterRpc() {}

    @Override
    public String name() {
        return "GRPC";
    }

    @Override
    public RpcFactory newFactory(Parameters parameters) {
        return new Factory(parameters, parameters == null ? null : parameters.get(SETTINGS, Settings.class));
    }

    /** What a node shares with its transport. Thread-safe. */
    static final class Settings {
        private final List<LogAppender> appenders = new CopyOnWriteArrayList<>();
        private final AtomicLong awaited = new AtomicLong(-1);
        private final Optional<RaftCluster> cluster;
        private final Map<String, String> troubles = new ConcurrentHashMap<>();
        private volatile Consumer<String> listener = trouble -> {};

        Settings(Optional<RaftCluster> cluster) {
            this.cluster = cluster;
        }

        /**
         * For a node, or for a client of one.
         *
         * @param properties the same's
         */
        Parameters asParameters(RaftProperties properties) {
            Parameters parameters = new Parameters();
            parameters.put(SETTINGS, this, Settings.class);
            cluster.flatMap(RaftCluster::transportSecurity).ifPresent(tls -> {
                // For everything: the port of a node is one, for other nodes, their clients and the administrator's
                // calls.
                GrpcConfigKeys.TLS.setConf(parameters, tls);
                GrpcConfigKeys.Server.setServicesCustomizer(
                        parameters, new NodeDoor(GrpcConfigKeys.useEpoll(properties)));
            });
            return parameters;
        }

        /** Who is told why this node must not take part. */
        void whenInTrouble(Consumer<String> told) {
            listener = told;
        }

        /** What is wrong with members, by their identities, as this node has seen while it led. */
        Map<String, String> troubles() {
            return Map.copyOf(troubles);
        }

        /** A follower has less than it had confirmed. */
        private void older(String follower, long confirmed, long last) {
            String trouble = OlderCopy.text(confirmed, last);
            if (troubles.put(follower, trouble) == null) {
                String name = FolderVersion.nameOf(follower);
                LOG.error("The data folder of node {} is an {}. {}", name, trouble, DataFolder.anew(name));
            }
        }

        /** The appenders of this node, which leads; of others that it had before, some may be among them. */
        List<LogAppender> appenders() {
            return appenders.stream().filter(LogAppender::isRunning).toList();
        }

        /** Has every follower told what is committed, and told again when it has written it. */
        void tellCommit() {
            for (LogAppender appender : appenders) {
                if (appender.isRunning()) {
                    awaited.accumulateAndGet(appender.getRaftLog().getLastCommittedIndex(), Math::max);
                    appender.triggerHeartbeat();
                } else {
                    appenders.remove(appender);
                }
            }
        }
    }

    private static final class Factory extends GrpcFactory {
        private final @Nullable Settings settings;

        Factory(Parameters parameters, @Nullable Settings settings) {
            super(parameters);
            this.settings = settings;
        }

        @Override
        public GrpcServices newRaftServerRpc(RaftServer server) {
            return super.newRaftServerRpc(OwnMail.of(server, trouble -> {
                if (settings != null) {
                    settings.listener.accept(trouble);
                }
            }));
        }

        @Override
        public LogAppender newLogAppender(RaftServer.Division server, LeaderState state, FollowerInfo follower) {
            if (settings == null) {
                return super.newLogAppender(server, state, follower);
            }
            LeaderState prompt = new PromptLeader(state, settings.awaited::get, settings::older);
            LogAppender appender = new PromptAppender(server, prompt, follower);
            settings.appenders.add(appender);
            return appender;
        }
    }
}
