package dev.tenon.lock;

import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.TimeUnit;

/**
 * The threads on which users' code is told of locks: of one that was granted without a thread, of a lease that was
 * lost, of what happens to leases, of who leads (ADR 78). It may block, which the store's own threads must not; and
 * what the application does in {@link ForkJoinPool#commonPool}, which has one thread on two cores, must not keep a lost
 * lock from being told.
 *
 * <p>Daemons, made when all others have work and gone when they have had none for some seconds; so there is nothing to
 * close. If all of them wait for futures, another one is made, so that what they wait for may be told here as well.
 */
final class Callbacks {
    private static final int THREADS = 64;
    private static final int THREADS_MAX = 256;
    private static final int IDLE_SECONDS = 5;

    private Callbacks() {}

    /** New threads: up to 64 at a time, and what comes on top of that waits its turn. */
    static Executor threads() {
        boolean inTheirOrder = true;
        return new ForkJoinPool(
                THREADS,
                Callbacks::thread,
                null,
                inTheirOrder,
                0,
                THREADS_MAX,
                1,
                saturated -> true,
                IDLE_SECONDS,
                TimeUnit.SECONDS);
    }

    private static ForkJoinWorkerThread thread(ForkJoinPool pool) {
        ForkJoinWorkerThread thread = ForkJoinPool.defaultForkJoinWorkerThreadFactory.newThread(pool);
        thread.setName("tenon-lock-callbacks-" + thread.getPoolIndex());
        // The application's, which in a jar of jars is not that of the system.
        thread.setContextClassLoader(Callbacks.class.getClassLoader());
        return thread;
    }
}
