package dev.tenon.tx.spi;

import dev.tenon.tx.Message;
import dev.tenon.tx.TransactionEvent;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * A message in an outbox. Immutable.
 *
 * @param number where it stands: greater than that of every message that was enqueued before it
 * @param claim how often it was claimed: what is written under a smaller one has no effect
 * @param attempts how often it was sent, or about to be, without success or with an end that is not known
 * @param enqueuedAt when, by the store's clock
 * @param message itself
 * @param history what went wrong and what operators did, oldest first; at least the last few
 */
public record OutboxEntry(
        long number, long claim, int attempts, Instant enqueuedAt, Message message, List<TransactionEvent> history) {
    public OutboxEntry {
        Objects.requireNonNull(enqueuedAt, "enqueuedAt");
        Objects.requireNonNull(message, "message");
        history = List.copyOf(history);
    }
}
