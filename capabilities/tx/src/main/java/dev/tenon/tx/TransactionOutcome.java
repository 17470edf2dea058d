package dev.tenon.tx;

import java.util.Objects;

/** What can be said of a transaction. An unknown one is never called finished. */
public sealed interface TransactionOutcome {
    /** Everything that it was to do is done. */
    record Committed() implements TransactionOutcome {}

    /** Nothing that it did is left. */
    record Aborted() implements TransactionOutcome {}

    /**
     * It has not ended.
     *
     * @param reason what it waits for
     */
    record InDoubt(String reason) implements TransactionOutcome {
        public InDoubt {
            Objects.requireNonNull(reason, "reason");
        }
    }

    /**
     * An operator has given it up: some of what it was to do, or to undo, may be done, and some not.
     *
     * @param reason the operator who has closed it, and why
     */
    record Closed(String reason) implements TransactionOutcome {
        public Closed {
            Objects.requireNonNull(reason, "reason");
        }
    }

    /** The log has no such transaction: none was begun, or it ended longer ago than the log remembers. */
    record Expired() implements TransactionOutcome {}
}
