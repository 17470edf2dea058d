package dev.tenon.server.access;

/**
 * What one operation asks of its caller.
 *
 * @param right the least right
 * @param scope what the right must be for
 */
public record Need(Right right, Scope scope) {
    /** What an operation is about. */
    public enum Scope {
        /** Nothing that is anybody's: everyone may. */
        OPEN,
        /** IDs under a name. */
        IDS,
        /** Locks under a name. */
        LOCKS,
        /** Transactions by their IDs. */
        TRANSACTIONS,
        /** Messages of outboxes: who is for transactions, and sees the names of the outboxes, is for these. */
        OUTBOXES,
        /** Presence, which has no name yet. */
        SESSIONS,
        /** The server as a whole. */
        SERVER
    }

    /** Whether it is about something by name, which a key may be limited to. */
    public boolean isNamed() {
        return scope == Scope.IDS || scope == Scope.LOCKS || scope == Scope.TRANSACTIONS;
    }

    /** For everyone. */
    public static final Need NOTHING = new Need(Right.READ, Scope.OPEN);

    /** To look. */
    public static Need read(Scope scope) {
        return new Need(Right.READ, scope);
    }

    /** To take and to hold. */
    public static Need use(Scope scope) {
        return new Need(Right.USE, scope);
    }

    /** To change for others. */
    public static Need admin(Scope scope) {
        return new Need(Right.ADMIN, scope);
    }
}
