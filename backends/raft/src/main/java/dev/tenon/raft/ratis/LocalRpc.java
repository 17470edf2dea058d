package dev.tenon.raft.ratis;

import java.net.InetSocketAddress;
import java.util.Collection;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.ServerFactory;

/**
 * The transport of a group of one: none. A node that has no peers opens no port, and needs no gRPC on its class path.
 * Ratis makes an instance by the name of this class.
 *
 * <p>Bends Ratis by a transport of its own kind. Why: ADR 2. Goes when Ratis has one that opens no port, or lets a
 * group of one do without.
 */
public final class LocalRpc implements RpcType {
    LocalRpc() {}

    @Override
    public String name() {
        return "LOCAL";
    }

    @Override
    public RpcFactory newFactory(Parameters parameters) {
        return new Factory(this);
    }

    private record Factory(RpcType type) implements ServerFactory {
        @Override
        public RpcType getRpcType() {
            return type;
        }

        @Override
        public RaftServerRpc newRaftServerRpc(RaftServer server) {
            return new NoPeers(type);
        }
    }

    private record NoPeers(RpcType type) implements RaftServerRpc {
        @Override
        public RpcType getRpcType() {
            return type;
        }

        @Override
        public void start() {}

        @Override
        public void close() {}

        @Override
        public InetSocketAddress getInetSocketAddress() {
            return InetSocketAddress.createUnresolved("localhost", 0);
        }

        @Override
        public void addRaftPeers(Collection<RaftPeer> peers) {}

        @Override
        public void handleException(RaftPeerId serverId, Exception e, boolean reconnect) {}

        @Override
        public RequestVoteReplyProto requestVote(RequestVoteRequestProto request) {
            throw nobodyThere();
        }

        @Override
        public AppendEntriesReplyProto appendEntries(AppendEntriesRequestProto request) {
            throw nobodyThere();
        }

        @Override
        public InstallSnapshotReplyProto installSnapshot(InstallSnapshotRequestProto request) {
            throw nobodyThere();
        }

        @Override
        public StartLeaderElectionReplyProto startLeaderElection(StartLeaderElectionRequestProto request) {
            throw nobodyThere();
        }

        private static IllegalStateException nobodyThere() {
            return new IllegalStateException("A group of one has no peers to call");
        }
    }
}
