package dev.tenon.raft.ratis;

import dev.tenon.testkit.TestPort;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.CommitInfoProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.MetadataProto;
import org.apache.ratis.proto.RaftProtos.RaftGroupIdProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.proto.grpc.RaftServerProtocolServiceGrpc;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.io.grpc.ManagedChannel;
import org.apache.ratis.thirdparty.io.grpc.netty.NettyChannelBuilder;
import org.apache.ratis.thirdparty.io.grpc.stub.StreamObserver;

/** The node {@code n2}, played by a test: it sends to {@code n1} what the leader of term 1 would, by gRPC. */
final class Caller implements AutoCloseable {
    private final ManagedChannel channel;
    private final String to;
    private long calls;

    Caller(TestPort port) {
        this(
                NettyChannelBuilder.forAddress("127.0.0.1", port.number())
                        .usePlaintext()
                        .build(),
                "n1");
    }

    private Caller(ManagedChannel channel, String to) {
        this.channel = channel;
        this.to = to;
    }

    /** Addresses its messages to another node, and sends them to the same one. */
    Caller to(String name) {
        return new Caller(channel, name);
    }

    CompletableFuture<RequestVoteReplyProto> preVote() {
        Answer<RequestVoteReplyProto> answer = new Answer<>();
        RaftServerProtocolServiceGrpc.newStub(channel)
                .requestVote(
                        RequestVoteRequestProto.newBuilder()
                                .setServerRequest(header())
                                .setCandidateTerm(1)
                                .setCandidateLastEntry(TermIndex.valueOf(1, 100).toProto())
                                .setPreVote(true)
                                .build(),
                        answer);
        return answer.value;
    }

    CompletableFuture<StartLeaderElectionReplyProto> startLeaderElection() {
        Answer<StartLeaderElectionReplyProto> answer = new Answer<>();
        RaftServerProtocolServiceGrpc.newStub(channel)
                .startLeaderElection(
                        StartLeaderElectionRequestProto.newBuilder()
                                .setServerRequest(header())
                                .build(),
                        answer);
        return answer.value;
    }

    CompletableFuture<InstallSnapshotReplyProto> installSnapshot() {
        Answer<InstallSnapshotReplyProto> answer = new Answer<>();
        RaftServerProtocolServiceGrpc.newStub(channel)
                .installSnapshot(answer)
                .onNext(InstallSnapshotRequestProto.newBuilder()
                        .setServerRequest(header())
                        .setLeaderTerm(1)
                        .build());
        return answer.value;
    }

    /** A message with the entry of this index, on a connection of its own. */
    CompletableFuture<AppendEntriesReplyProto> entry(long index) {
        return append(message(index - 1, -1)
                .addEntries(LogEntryProto.newBuilder()
                        .setTerm(1)
                        .setIndex(index)
                        .setMetadataEntry(MetadataProto.getDefaultInstance()))
                .build());
    }

    /** A message without an entry. */
    CompletableFuture<AppendEntriesReplyProto> heartbeat(long previous, long committed) {
        return append(message(previous, committed).build());
    }

    /** A message that says how far {@code n1} has once confirmed the log. */
    CompletableFuture<AppendEntriesReplyProto> remember(long confirmed) {
        return append(message(-1, -1)
                .addCommitInfos(CommitInfoProto.newBuilder()
                        .setServer(RaftPeerProto.newBuilder().setId(ByteString.copyFromUtf8("n1")))
                        .setCommitIndex(confirmed))
                .build());
    }

    private AppendEntriesRequestProto.Builder message(long previous, long committed) {
        AppendEntriesRequestProto.Builder message = AppendEntriesRequestProto.newBuilder()
                .setServerRequest(header())
                .setLeaderTerm(1)
                .setLeaderCommit(committed);
        if (previous >= 0) {
            message.setPreviousLog(TermIndex.valueOf(1, previous).toProto());
        }
        return message;
    }

    private CompletableFuture<AppendEntriesReplyProto> append(AppendEntriesRequestProto message) {
        Answer<AppendEntriesReplyProto> answer = new Answer<>();
        RaftServerProtocolServiceGrpc.newStub(channel).appendEntries(answer).onNext(message);
        return answer.value;
    }

    private RaftRpcRequestProto header() {
        return RaftRpcRequestProto.newBuilder()
                .setRequestorId(ByteString.copyFromUtf8("n2"))
                .setReplyId(ByteString.copyFromUtf8(to))
                .setRaftGroupId(RaftGroupIdProto.newBuilder().setId(Engine.GROUP.toByteString()))
                .setCallId(++calls)
                .build();
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }

    /** The first message of a stream. */
    private static final class Answer<T> implements StreamObserver<T> {
        private final CompletableFuture<T> value = new CompletableFuture<>();

        @Override
        public void onNext(T message) {
            value.complete(message);
        }

        @Override
        public void onError(Throwable error) {
            value.completeExceptionally(error);
        }

        @Override
        public void onCompleted() {
            value.completeExceptionally(new IllegalStateException("no answer"));
        }
    }
}
