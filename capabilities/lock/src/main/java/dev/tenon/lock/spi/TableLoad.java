package dev.tenon.lock.spi;

import java.util.Collection;

/**
 * How much a {@link LockTable} has in it.
 *
 * @param held locks that somebody holds
 * @param waiting requests in queues
 * @param sessions that are open
 */
public record TableLoad(long held, long waiting, long sessions) {
    /** Nothing. */
    public static final TableLoad NONE = new TableLoad(0, 0, 0);

    static TableLoad of(Collection<LockState> locks, int sessions) {
        long held = 0;
        long waiting = 0;
        for (LockState lock : locks) {
            held += lock.holders().isEmpty() ? 0 : 1;
            waiting += lock.queue().size();
        }
        return new TableLoad(held, waiting, sessions);
    }
}
