package dev.tenon.raft.ratis;

import java.io.IOException;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.apache.ratis.client.impl.ClientProtoUtils;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.CommitInfoProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;

/**
 * Whether this node's folder is an older copy: its log is shorter than what the node had told others to have. They
 * remember that as long as they run, and a leader says it with every message. Such a node must not take part: it has
 * forgotten entries that count on it, and votes. It says so to its leader, as what Ratis would say (that the log does
 * not fit), and votes no more. Thread-safe.
 *
 * <p>Bends what {@code RaftServer.appendEntriesAsync} answers. Why: ADR 69. {@link #honest} goes when Ratis says of
 * itself only what it has flushed; the rest when it refuses a member that has forgotten what it had confirmed.
 */
final class OlderCopy {
    private final RaftServer server;
    private final Consumer<String> found;
    private volatile boolean older;

    /** @param found told once, what to say to people */
    OlderCopy(RaftServer server, Consumer<String> found) {
        this.server = server;
        this.found = found;
    }

    /** Whether it was found to be one. */
    boolean isOlder() {
        return older;
    }

    /** Looks at what a leader says of this node; true: it is one. */
    boolean is(AppendEntriesRequestProto append) throws IOException {
        if (older) {
            return true;
        }
        long confirmed = append.getCommitInfosList().stream()
                .filter(info -> info.getServer().getId().equals(server.getId().toByteString()))
                .mapToLong(CommitInfoProto::getCommitIndex)
                .max()
                .orElse(-1);
        long last = here(append).getRaftLog().getNextIndex() - 1;
        if (confirmed > last) {
            older = true;
            found.accept(text(confirmed, last));
        }
        return older;
    }

    /**
     * An answer that says no more than what is on this disk: Ratis says of a heartbeat's commit index that it has it,
     * though the entries may still be on their way there (3.3.0, {@code RaftServerImpl.appendEntriesAsync}). After a
     * crash that would be remembered.
     */
    AppendEntriesReplyProto honest(AppendEntriesRequestProto append, AppendEntriesReplyProto reply) {
        try {
            long flushed = here(append).getRaftLog().getFlushIndex();
            return reply.getFollowerCommit() <= flushed
                    ? reply
                    : reply.toBuilder().setFollowerCommit(flushed).build();
        } catch (IOException e) {
            throw new CompletionException(e);
        }
    }

    /** That the log does not fit what the leader sends. */
    AppendEntriesReplyProto refusal(AppendEntriesRequestProto append) throws IOException {
        var header = append.getServerRequest();
        RaftServer.Division here = here(append);
        return AppendEntriesReplyProto.newBuilder()
                .setServerReply(ClientProtoUtils.toRaftRpcReplyProtoBuilder(
                        header.getRequestorId(),
                        header.getReplyId(),
                        here.getGroup().getGroupId(),
                        header.getCallId(),
                        false))
                .setTerm(append.getLeaderTerm())
                .setNextIndex(here.getRaftLog().getNextIndex())
                .setMatchIndex(-1)
                .setFollowerCommit(here.getRaftLog().getLastCommittedIndex())
                .setResult(AppendResult.INCONSISTENCY)
                .setIsHearbeat(append.getEntriesCount() == 0)
                .build();
    }

    /** What is wrong with a node that had confirmed so much and has no more than that. */
    static String text(long confirmed, long last) {
        return "older copy: entries up to " + confirmed + " were confirmed, and the log ends with entry " + last;
    }

    private RaftServer.Division here(AppendEntriesRequestProto append) throws IOException {
        return server.getDivision(
                RaftGroupId.valueOf(append.getServerRequest().getRaftGroupId().getId()));
    }
}
