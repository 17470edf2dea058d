package dev.tenon.raft.ratis;

import org.apache.ratis.conf.Parameters;
import org.apache.ratis.grpc.GrpcFactory;
import org.apache.ratis.grpc.server.GrpcServices;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;
import org.jspecify.annotations.Nullable;

/**
 * The transport between the nodes of a cluster: that of Ratis on gRPC, and two things more. A node takes nothing that
 * is meant for another one ({@link AddressCheckingServer}). And the followers are told at once how far the log is
 * committed: Ratis tells them with the next entry, or the next heartbeat, for which a client of a follower would wait,
 * as its answer comes from the follower's own replica ({@link PromptAppender}, {@link PromptLeader}).
 *
 * <p>Bends {@code GrpcFactory} by a subclass, as there is no other way in for those three. Goes with the last of them.
 * Ratis makes an instance by the name of this class. {@link Followers} are in the parameters of a node, and may be
 * missing from those of a client.
 */
public final class ClusterRpc implements RpcType {
    ClusterRpc() {}

    @Override
    public String name() {
        return "GRPC";
    }

    @Override
    public RpcFactory newFactory(Parameters parameters) {
        return new Factory(parameters, Followers.in(parameters));
    }

    private static final class Factory extends GrpcFactory {
        private final @Nullable Followers followers;

        Factory(Parameters parameters, @Nullable Followers followers) {
            super(parameters);
            this.followers = followers;
        }

        @Override
        public GrpcServices newRaftServerRpc(RaftServer server) {
            return super.newRaftServerRpc(AddressCheckingServer.of(server, trouble -> {
                if (followers != null) {
                    followers.folders().isOlder(trouble);
                }
            }));
        }

        @Override
        public LogAppender newLogAppender(RaftServer.Division server, LeaderState state, FollowerInfo follower) {
            if (followers == null) {
                return super.newLogAppender(server, state, follower);
            }
            FolderListener folders = followers.folders();
            LeaderState prompt = new PromptLeader(
                    state,
                    followers::awaited,
                    (id, confirmed, last) -> folders.isOlder(id, OlderCopy.text(confirmed, last)));
            LogAppender appender = new PromptAppender(server, prompt, follower);
            followers.add(appender);
            return appender;
        }
    }
}
