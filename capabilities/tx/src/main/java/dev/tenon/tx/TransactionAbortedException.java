package dev.tenon.tx;

import dev.tenon.TenonException;

/** The transaction was aborted, so the call has no effect and never will have: begin a new one. */
public final class TransactionAbortedException extends TenonException {
    public TransactionAbortedException(String message) {
        super(message);
    }
}
