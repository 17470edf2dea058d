package dev.tenon.lock.spi;

/**
 * How much memory the parts of a {@link LockTable} take, roughly, on a JVM of 64 bits: objects, references to them from
 * maps and indexes, and characters at two bytes. A function of the values alone, so that it is the same on every
 * replica.
 */
final class Footprint {
    private static final long SESSION = 450;
    private static final long LOCK = 250;
    private static final long HOLDER_OR_WAITER = 350;
    private static final long TEXT = 48;

    private Footprint() {}

    static long of(SessionSpec spec) {
        return SESSION + text(spec.id()) + text(spec.owner());
    }

    /** Nothing, if nothing is kept of it. */
    static long of(LockState state) {
        if (state.isIdle()) {
            return 0;
        }
        long bytes = LOCK + text(state.name());
        for (LockState.Holder holder : state.holders()) {
            bytes += HOLDER_OR_WAITER + text(holder.sessionId()) + text(holder.requestId()) + text(holder.owner());
        }
        for (LockState.Waiter waiter : state.queue()) {
            bytes += HOLDER_OR_WAITER + text(waiter.sessionId()) + text(waiter.requestId()) + text(waiter.owner());
        }
        return bytes;
    }

    private static long text(String value) {
        return TEXT + 2L * value.length();
    }
}
