package dev.tenon.raft;

/**
 * How much a node keeps in memory: the whole replicated state, as of the latest entry that it has applied. Bytes are
 * estimates of the heap that it takes, made from the values alone.
 *
 * @param bytes of everything
 * @param endedBytes of that, of transactions that have ended
 * @param sessions that are open
 * @param locks of which something is known: who holds them, who waits for them, or a lock-delay
 * @param openTransactions that have not ended
 * @param definitions of IDs, with those that the server keeps for itself, and sequences
 */
public record StateUsage(
        long bytes, long endedBytes, long sessions, long locks, long openTransactions, long definitions) {
    /** Nothing is kept. */
    static final StateUsage NONE = new StateUsage(0, 0, 0, 0, 0, 0);

    static StateUsage of(ReplicaState state) {
        return new StateUsage(
                state.bytes(),
                state.transactions().endedBytes(),
                state.locks().sessions(),
                state.locks().size(),
                state.transactions().open(),
                (long) state.definitions().size() + state.ranges().size());
    }
}
