package dev.tenon.testkit.faults;

import dev.tenon.lock.Locks;
import dev.tenon.testkit.history.History;
import dev.tenon.testkit.history.HoldModel;
import dev.tenon.testkit.history.Linearizability;
import dev.tenon.testkit.history.Linearizability.Verdict;
import dev.tenon.testkit.history.ReentrantModel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** Threads of several processes that take and leave the same locks at random, and the history that they make. */
final class RandomHolders {
    private static final long SEED = Long.getLong("tenon.seed", 1);
    private static final long SECONDS = Long.getLong("tenon.history.seconds", 0);
    private static final int THREADS_EACH = 3;
    static final int GRANTS_LEAST = 50;
    /** A server that is a JVM may take a minute to come back on a busy machine. */
    private static final Duration PATIENCE = Duration.ofMinutes(4);

    private final History history = new History();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final List<Locks> processes;
    private final String prefix;
    private final List<Thread> threads = new ArrayList<>();

    /** What goes on while the threads do. */
    interface Meanwhile {
        void run(Duration time) throws InterruptedException;
    }

    private RandomHolders(List<Locks> processes, String prefix) {
        this.processes = processes;
        this.prefix = prefix;
    }

    static RandomHolders of(List<Locks> processes, String prefix) {
        return new RandomHolders(processes, prefix);
    }

    /** How long a run takes that should take {@code usual}. */
    static Duration time(Duration usual) {
        return SECONDS > 0 ? Duration.ofSeconds(SECONDS) : usual;
    }

    static long seed() {
        return SEED;
    }

    /** Lets the threads go on for some time. */
    History run(Duration usual, Meanwhile meanwhile) throws InterruptedException {
        Duration time = time(usual);
        long begin = System.nanoTime();
        for (int i = 0; i < processes.size() * THREADS_EACH; i++) {
            Locks locks = processes.get(i % processes.size());
            RandomHolder holder = new RandomHolder(locks, "thread-" + i, prefix, SEED * 1000 + i, history::add);
            Thread thread = new Thread(() -> work(holder, begin, time), "tenon-random-holder-" + i);
            threads.add(thread);
            thread.start();
        }
        meanwhile.run(time);
        awaitEnd();
        if (!failures.isEmpty()) {
            throw new AssertionError("A thread failed, seed " + SEED + ": " + failures, failures.peek());
        }
        return history;
    }

    void awaitEnd() throws InterruptedException {
        long end = System.nanoTime()
                + PATIENCE.multipliedBy(2).plus(time(Duration.ZERO)).toNanos();
        for (Thread thread : threads) {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())));
            if (thread.isAlive()) {
                AssertionError hangs = new AssertionError(thread + " hangs, seed " + SEED);
                hangs.setStackTrace(thread.getStackTrace());
                throw hangs;
            }
        }
    }

    private void work(RandomHolder holder, long begin, Duration time) {
        try {
            holder.runUntil(() -> isOver(System.nanoTime() - begin, time));
        } catch (RuntimeException | Error | InterruptedException e) {
            failures.add(e);
        }
    }

    /** A busy machine gets more time, so that there is something to judge. */
    private boolean isOver(long elapsedNanos, Duration time) {
        return elapsedNanos > time.toNanos()
                && (history.grants() > GRANTS_LEAST
                        || elapsedNanos > time.plus(PATIENCE).toNanos());
    }

    /** Fails if what happened to one of the locks is impossible. */
    static void check(History history) {
        history.byLock().forEach((lock, operations) -> {
            Verdict verdict = RandomHolder.isReentrant(lock)
                    ? Linearizability.check(new ReentrantModel(), operations)
                    : Linearizability.check(new HoldModel(), operations);
            if (!verdict.possible()) {
                throw new AssertionError(
                        "Impossible, with seed " + SEED + ", of " + lock + ": " + verdict.explanation());
            }
        });
    }
}
