package dev.tenon.raft.ratis;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;

/**
 * What a node that follows does with the entries that messages bring: it begins to write those of one message while
 * those of the last one are on their way to the disk still, so that one flush is for many; and confirms them in the
 * order in which they came, once they are there. Ratis takes entries that it has written, and not flushed, for
 * confirmed when they come a second time, as they do after a broken connection, unless it writes those of one message
 * after another (its setting {@code append-entries.compose}), each with a flush of its own: then a slow disk never
 * catches up. Thread-safe.
 *
 * <p>Bends what {@code RaftServer.appendEntriesAsync} answers. Why: ADR 17. Goes when Ratis confirms entries that come
 * again only after their flush, without {@code compose}, or composes them without waiting for a flush between two
 * messages. Source: {@code RaftServerImpl.appendEntriesAsync} and {@code SegmentedRaftLog.appendImpl} of Ratis 3.3.0.
 */
final class OrderedEntries {
    /**
     * No two messages are judged, and their entries written, at once: else those of an old leader might come behind a
     * new one's.
     */
    private final ReentrantLock mutex = new ReentrantLock();

    private final Log log;
    private final Flushed flushed;
    private CompletableFuture<AppendEntriesReplyProto> latest =
            CompletableFuture.completedFuture(AppendEntriesReplyProto.getDefaultInstance());

    /** Takes a message, and answers when its entries are on the disk. */
    interface Log {
        CompletableFuture<AppendEntriesReplyProto> append(AppendEntriesRequestProto message) throws IOException;
    }

    /** Up to where the log is on the disk. */
    interface Flushed {
        long index(AppendEntriesRequestProto message) throws IOException;
    }

    OrderedEntries(Log log, Flushed flushed) {
        this.log = log;
        this.flushed = flushed;
    }

    /** Takes a message; the answer fails if its entries can't be confirmed, and the leader then sends them again. */
    CompletableFuture<AppendEntriesReplyProto> take(AppendEntriesRequestProto message) throws IOException {
        if (message.getEntriesCount() == 0) {
            return log.append(message); // a heartbeat confirms nothing, and waits for nothing
        }
        mutex.lock();
        try {
            CompletableFuture<AppendEntriesReplyProto> earlier = latest;
            CompletableFuture<AppendEntriesReplyProto> answer = log.append(message);
            latest = earlier.isCompletedExceptionally()
                    ? answer.thenApply(reply -> confirmed(message, reply))
                    : earlier.thenCombine(answer, (any, reply) -> confirmed(message, reply));
            return latest;
        } finally {
            mutex.unlock();
        }
    }

    private AppendEntriesReplyProto confirmed(AppendEntriesRequestProto message, AppendEntriesReplyProto reply) {
        try {
            if (reply.getResult() == AppendResult.SUCCESS && reply.getMatchIndex() > flushed.index(message)) {
                throw new IOException("Not on the disk yet: entry " + reply.getMatchIndex());
            }
            return reply;
        } catch (IOException e) {
            throw new CompletionException(e);
        }
    }
}
