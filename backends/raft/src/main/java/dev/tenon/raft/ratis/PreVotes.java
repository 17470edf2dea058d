package dev.tenon.raft.ratis;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.ratis.client.impl.ClientProtoUtils;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;

/**
 * Takes votes, and grants a node no more preliminary votes when it did nothing with three of them: it does not hear.
 * Ratis starts the timeout of its own election anew each time that it grants one (3.3.0, {@code
 * RaftServerImpl.requestVote}), so that a node which is heard and hears nothing would keep all others from standing, by
 * asking for ever. Thread-safe.
 *
 * <p>Bends what {@code RaftServer.requestVote} answers. Why: ADR 70. Goes when a preliminary vote that is granted
 * leaves the election timeout of the one who grants it as it is.
 */
final class PreVotes {
    /** A busy node may be too late for the first ones. */
    private static final int GRANTS = 3;

    /** After so many election timeouts it may have been mended. */
    private static final int PAUSE = 4;

    private final Map<ByteString, Granted> granted = new ConcurrentHashMap<>();
    private final RaftServer server;
    private final LongSupplier nanoTime;
    private final long pauseNanos;

    private record Granted(long term, int count, long atNanos) {}

    PreVotes(RaftServer server, LongSupplier nanoTime) {
        this.server = server;
        this.nanoTime = nanoTime;
        this.pauseNanos = PAUSE
                * RaftServerConfigKeys.Rpc.timeoutMin(server.getProperties()).toLong(TimeUnit.NANOSECONDS);
    }

    /** The answer to a request, by the server or in its place. */
    RequestVoteReplyProto take(RequestVoteRequestProto request) throws IOException {
        ByteString candidate = request.getServerRequest().getRequestorId();
        if (!request.getPreVote()) {
            granted.remove(candidate);
            return server.requestVote(request);
        }
        Granted before = granted.get(candidate);
        boolean again = before != null
                && before.term() == request.getCandidateTerm()
                && nanoTime.getAsLong() - before.atNanos() < pauseNanos;
        int count = again && before != null ? before.count() : 0;
        if (count >= GRANTS) {
            return refusal(request);
        }
        RequestVoteReplyProto reply = server.requestVote(request);
        if (reply.getServerReply().getSuccess()) {
            granted.put(candidate, new Granted(request.getCandidateTerm(), count + 1, nanoTime.getAsLong()));
        }
        return reply;
    }

    private RequestVoteReplyProto refusal(RequestVoteRequestProto request) throws IOException {
        var header = request.getServerRequest();
        RaftGroupId group = RaftGroupId.valueOf(header.getRaftGroupId().getId());
        RaftServer.Division here = server.getDivision(group);
        TermIndex last = here.getRaftLog().getLastEntryTermIndex();
        return RequestVoteReplyProto.newBuilder()
                .setServerReply(ClientProtoUtils.toRaftRpcReplyProtoBuilder(
                        header.getRequestorId(), header.getReplyId(), group, header.getCallId(), false))
                .setTerm(here.getInfo().getCurrentTerm())
                .setLastEntry((last == null ? TermIndex.INITIAL_VALUE : last).toProto())
                .build();
    }
}
