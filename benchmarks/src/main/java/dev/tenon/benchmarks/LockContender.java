package dev.tenon.benchmarks;

/** One library's lock on one store, as a single process uses it. */
interface LockContender extends Contender {
    /** Acquires the lock, waiting if need be, and returns the way to release it. */
    Hold acquire(String name) throws InterruptedException;

    @Override
    default long once(String name) throws InterruptedException {
        long from = System.nanoTime();
        acquire(name).release();
        return System.nanoTime() - from;
    }

    /** A lock that is held. */
    @FunctionalInterface
    interface Hold {
        /** Gives it back, and waits for the answer. */
        void release();
    }
}
