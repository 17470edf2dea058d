package dev.tenon.tx;

/**
 * How far a transaction is. It is decided when it leaves {@link #ACTIVE}, and a decision is never taken back. That one
 * is suspended is not a state: it waits for an operator, and goes on from where it is.
 */
public enum TransactionState {
    /** Not decided: it may still be committed or aborted. */
    ACTIVE,
    /** Decided: it will be committed, however long that takes. */
    COMMITTING,
    /** Everything that the commit asks for is done. */
    COMMITTED,
    /** Decided: it will be undone, however long that takes. */
    ABORTING,
    /** Everything that may have happened is undone. */
    ABORTED,
    /**
     * An operator has given it up as it is ({@link Transactions#closeAsIs}): its branches stay as they are, and no
     * participant is called for it any more.
     */
    CLOSED;

    /** Whether nothing happens any more. */
    public boolean isFinal() {
        return this == COMMITTED || this == ABORTED || this == CLOSED;
    }

    /** Whether {@code next} may follow, at once or after states between: none goes back, and no decision flips. */
    public boolean mayBecome(TransactionState next) {
        return switch (this) {
            case ACTIVE -> true;
            case COMMITTING -> next == COMMITTING || next == COMMITTED || next == CLOSED;
            case ABORTING -> next == ABORTING || next == ABORTED || next == CLOSED;
            case COMMITTED, ABORTED, CLOSED -> next == this;
        };
    }
}
