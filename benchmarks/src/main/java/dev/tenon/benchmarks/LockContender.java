package dev.tenon.benchmarks;

/** One library's lock on one Redis, as a single process uses it. Threads share it. */
interface LockContender extends AutoCloseable {
    /** What the table calls it. */
    String title();

    /** Acquires the lock, waiting if need be, and returns the way to release it. */
    Hold acquire(String name) throws InterruptedException;

    @Override
    void close();

    /** A lock that is held. */
    @FunctionalInterface
    interface Hold {
        /** Gives it back, and waits for the answer. */
        void release();
    }
}
