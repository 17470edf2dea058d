package dev.tenon.tx;

import dev.tenon.TenonException;

/** The log has no transaction of that ID: none was begun, or it ended longer ago than the log remembers. */
public final class UnknownTransactionException extends TenonException {
    public UnknownTransactionException(TransactionId gid) {
        super("There is no transaction " + gid + " in the log: it was never begun, or it ended longer ago than the log"
                + " remembers");
    }
}
