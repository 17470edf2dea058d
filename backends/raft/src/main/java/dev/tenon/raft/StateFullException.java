package dev.tenon.raft;

import dev.tenon.TenonException;

/**
 * What is kept takes as much memory as it may ({@link RaftOptions#maxStateBytes}), and the request would add to it.
 * Nothing happened. What ends, renews, decides or takes away is never refused so.
 */
public final class StateFullException extends TenonException {
    StateFullException(long bytes, long max) {
        super("What is kept takes about " + mebibytes(bytes) + " MiB of memory, and may take " + mebibytes(max)
                + " MiB: end or take away what is not needed any more, or allow more");
    }

    private static long mebibytes(long bytes) {
        return (bytes + (1 << 20) - 1) >> 20;
    }
}
