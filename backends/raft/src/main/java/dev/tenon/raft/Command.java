package dev.tenon.raft;

import dev.tenon.lock.spi.Grant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A wish that goes through the log: every write, and every read that must be fresh. Applying one is deterministic: it
 * sees the state, the time of its entry, and nothing else.
 *
 * @param <R> type of the answer
 */
sealed interface Command<R> permits LockCommand, IdCommand {
    /** Carries the command out. A {@link RuntimeException} is an answer too: it goes to whoever asked. */
    R applyTo(ReplicaState state);

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
     * @param answers in the order of its commands
     * @param grants to be told to their sessions
     * @param endedSessions IDs of the sessions that time has ended
     */
    record Applied(List<Answer> answers, List<Grant> grants, List<String> endedSessions) {}
}
