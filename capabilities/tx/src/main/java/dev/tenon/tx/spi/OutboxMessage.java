package dev.tenon.tx.spi;

import dev.tenon.tx.TransactionEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What operators see of a message in an outbox: all but its body and headers, which may be large, and secret.
 * Immutable.
 *
 * @param outbox whose message it is
 * @param number where it stands; no two messages of a database have the same, whichever outbox they are of
 * @param id by which its consumer knows it again
 * @param target where it goes to
 * @param key it goes in order with the others of the target that have this key; empty: in any order
 * @param type what its body is
 * @param state what it waits for, or how it ended
 * @param attempts how often it was sent, or about to be, without success or with an end that is not known
 * @param enqueuedAt when it was written, by the store's clock
 * @param age for how long it has been there, by the store's clock; not negative
 * @param dueAt when it may be sent, or, while a process is sending it, when another one may; empty if it has ended
 * @param endedAt when it was sent, given up or discarded; empty before
 * @param size of its body, in bytes
 * @param history what went wrong and what operators did, oldest first; at least the last few
 */
public record OutboxMessage(
        String outbox,
        long number,
        String id,
        String target,
        Optional<String> key,
        String type,
        State state,
        int attempts,
        Instant enqueuedAt,
        Duration age,
        Optional<Instant> dueAt,
        Optional<Instant> endedAt,
        int size,
        List<TransactionEvent> history) {
    /** What a message waits for, or how it ended. */
    public enum State {
        /** To be sent: now, or after a pause since it has failed, or it is on its way just now. */
        WAITING,
        /** Until the one before it, of its target and key, has ended. */
        BEHIND,
        /** It is a dead letter: an operator has to replay or discard it. */
        DEAD,
        /** For nothing: it was sent. */
        SENT,
        /** For nothing: an operator has given it up. */
        DISCARDED
    }

    /**
     * @throws NullPointerException if something is missing
     */
    public OutboxMessage {
        Objects.requireNonNull(outbox, "outbox");
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(target, "target");
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(enqueuedAt, "enqueuedAt");
        Objects.requireNonNull(age, "age");
        Objects.requireNonNull(dueAt, "dueAt");
        Objects.requireNonNull(endedAt, "endedAt");
        history = List.copyOf(history);
    }

    /**
     * Why it could not be sent when that was last tried, or why it is a dead letter; empty if nothing has gone wrong.
     */
    public Optional<String> lastError() {
        return lastFailure().map(TransactionEvent::detail);
    }

    /** When it last failed, by the store's clock; empty if it has not. */
    public Optional<Instant> lastFailedAt() {
        return lastFailure().map(TransactionEvent::at);
    }

    private Optional<TransactionEvent> lastFailure() {
        return last(List.of("failed", "dead"));
    }

    private Optional<TransactionEvent> last(List<String> words) {
        return history.stream().filter(event -> words.contains(event.what())).reduce((earlier, later) -> later);
    }

    /** Whether it is dead, or has failed since it was written, or replayed, and is to be tried again. */
    public boolean isFailing() {
        boolean failed = last(List.of("failed", "dead", "replayed"))
                .filter(event -> !event.what().equals("replayed"))
                .isPresent();
        return state == State.DEAD || (state == State.WAITING && failed);
    }
}
