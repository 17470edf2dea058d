package dev.tenon.tx;

import dev.tenon.TenonException;

/**
 * The log has something else than the caller takes for granted: another transaction under the same ID, or one that was
 * already decided otherwise. Nothing was changed; ask for the transaction to see what it is.
 */
public final class TransactionConflictException extends TenonException {
    public TransactionConflictException(String message) {
        super(message);
    }
}
