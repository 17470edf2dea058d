package dev.tenon.raft;

import dev.tenon.DaemonThreads;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Looks whether what the log has taken still reaches the disk. A flush that does not return can't be called off, and
 * fails nothing: the engine leads on, and commits nothing, as it never commits what its own disk has not.
 *
 * <p>It counts looks, and not time: whoever stood still, the process or its machine, has had no look meanwhile.
 *
 * <p>Each look is on one thread at a time; any thread may ask.
 */
final class DiskWatch implements AutoCloseable {
    /** So many looks without a flush: the disk hangs. */
    static final int LOOKS = 10;

    private final ScheduledExecutorService scheduler =
            new ScheduledThreadPoolExecutor(1, DaemonThreads.named("tenon-raft-disk"));
    private final Watched watched;
    private long flushed = Long.MIN_VALUE;
    private int looks;
    private volatile boolean hangs;

    /** What is looked at, and told. */
    interface Watched {
        /** Index of the latest entry that is to be on the disk. */
        long taken();

        /** Index of the latest entry that is. */
        long flushed();

        /** The disk hangs; told at each look, until it does not. */
        void hangs();

        /** It does no more. */
        void isBack();
    }

    DiskWatch(Watched watched) {
        this.watched = watched;
    }

    /** Looks from now on. */
    void start(Duration pause) {
        scheduler.scheduleWithFixedDelay(this::runOnce, pause.toNanos(), pause.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** One look. */
    void runOnce() {
        long now = watched.flushed();
        if (now != flushed || watched.taken() <= now) {
            flushed = now;
            looks = 0;
            if (hangs) {
                hangs = false;
                watched.isBack();
            }
        } else if (++looks >= LOOKS) {
            hangs = true;
            watched.hangs();
        }
    }

    /** Whether the disk hung at the last look. */
    boolean hanging() {
        return hangs;
    }

    @Override
    public void close() {
        scheduler.shutdownNow();
    }
}
