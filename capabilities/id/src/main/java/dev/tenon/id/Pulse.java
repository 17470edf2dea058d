package dev.tenon.id;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Beats about once a millisecond while a claim is used by the striped lane, and never again once the claim is sealed. A
 * thread that holds a block of positions goes on without a clock only until the next beat, so that the thread that
 * beats or {@link #end ends} this takes the blocks away from all threads at once.
 */
final class Pulse extends Padding {
    /** In place of a count: the claim is sealed. */
    static final long ENDED = -1;

    private static final VarHandle BEATS;

    static {
        try {
            BEATS = MethodHandles.lookup().findVarHandle(Pulse.class, "beats", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile long beats;

    /** How often this has beaten, or {@link #ENDED}. */
    long beats() {
        return beats;
    }

    void beat() {
        long seen = beats;
        if (seen != ENDED) {
            BEATS.compareAndSet(this, seen, seen + 1); // it fails only where another beat or the end did the same
        }
    }

    void end() {
        beats = ENDED;
    }
}
