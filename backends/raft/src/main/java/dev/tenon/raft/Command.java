package dev.tenon.raft;

import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.SessionEnd;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A wish that goes through the log: every write, and every read that must be fresh. Applying one is deterministic: it
 * sees the state, the time of its entry, and nothing else.
 *
 * @param <R> type of the answer
 */
sealed interface Command<R> permits LockCommand, IdCommand, TransactionCommand {
    /** Carries the command out. A {@link RuntimeException} is an answer too: it goes to whoever asked. */
    R applyTo(ReplicaState state);

    /**
     * By how many bytes this may make the state grow, roughly; 0 if it ends or continues something, and is refused to
     * nobody.
     */
    default long growth() {
        return 0;
    }

    /**
     * Whether it makes the state grow, by what this replica knows; asked only of one with {@link #growth}. Changes
     * nothing.
     */
    default boolean adds(ReplicaState state) {
        return true;
    }

    /**
     * What became of one command.
     *
     * @param value the answer, unless there was an error
     * @param error why the command was refused
     */
    record Answer(@Nullable Object value, @Nullable RuntimeException error) {}

    /**
     * What became of one entry.
     *
     * @param sender who sent it, if the entry says so
     * @param repeated whether it was applied before, and had no effect now
     * @param answers in the order of its commands; none if it is repeated
     * @param grants to be told to their sessions
     * @param revocations to be told to their sessions
     * @param ended sessions that are over, to be told so
     */
    record Applied(
            Optional<EntryCodec.Sender> sender,
            boolean repeated,
            List<Answer> answers,
            List<Grant> grants,
            List<Revocation> revocations,
            List<SessionEnd> ended) {
        /** Whether there is something to tell to sessions, on whichever node they are. */
        boolean tellsSomebody() {
            return !grants.isEmpty() || !revocations.isEmpty() || !ended.isEmpty();
        }
    }
}
