package dev.tenon.server.metered;

import dev.tenon.server.observe.Metrics;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.spi.Begun;
import java.util.Locale;

/** Counts what this server did to transactions. Each event of each kind is there from the start, as 0. Thread-safe. */
final class TransactionCounters {
    private final Metrics metrics;

    /** What can become of a transaction; in lower case, the label {@code event}. */
    private enum TransactionEvent {
        BEGUN,
        COMMITTED,
        ABORTED,
        CLOSED,
        SUSPENDED,
        STUCK
    }

    TransactionCounters(Metrics metrics) {
        this.metrics = metrics;
        for (TransactionKind kind : TransactionKind.values()) {
            for (TransactionEvent event : TransactionEvent.values()) {
                count(kind, event, 0);
            }
        }
    }

    void begun(Begun answer) {
        if (answer instanceof Begun.Created created) {
            count(created.transaction().kind(), TransactionEvent.BEGUN, 1);
        }
    }

    /** An update was written: one event for each thing that it changed. */
    void updated(TransactionRecord before, TransactionRecord after) {
        if (after.state().isFinal()) {
            if (!before.state().isFinal()) {
                count(after.kind(), end(after.state()), 1);
            }
        } else if (after.suspended().isPresent() && before.suspended().isEmpty()) {
            count(after.kind(), TransactionEvent.SUSPENDED, 1);
        }
        if (after.stuckAt().isPresent() && before.stuckAt().isEmpty()) {
            count(after.kind(), TransactionEvent.STUCK, 1);
        }
    }

    private static TransactionEvent end(TransactionState state) {
        return switch (state) {
            case COMMITTED -> TransactionEvent.COMMITTED;
            case ABORTED -> TransactionEvent.ABORTED;
            case CLOSED -> TransactionEvent.CLOSED;
            default -> throw new IllegalStateException(state + " is not an end");
        };
    }

    private void count(TransactionKind kind, TransactionEvent event, long times) {
        metrics.count(
                "tenon.transaction.events",
                "What became of transactions",
                kind.text(),
                event.name().toLowerCase(Locale.ROOT),
                times);
    }
}
