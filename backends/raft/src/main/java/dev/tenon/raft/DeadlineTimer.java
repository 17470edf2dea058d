package dev.tenon.raft;

import dev.tenon.DaemonThreads;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Lets the leader say that time has passed, when something is due (a lease, a wait, a session), and only then: an idle
 * node writes nothing. It is off until it is started, as followers and replays say nothing. Thread-safe.
 */
final class DeadlineTimer implements AutoCloseable {
    private static final Duration RETRY = Duration.ofMillis(100);

    private final ReentrantLock mutex = new ReentrantLock();
    private final ScheduledThreadPoolExecutor scheduler =
            new ScheduledThreadPoolExecutor(1, DaemonThreads.named("tenon-raft-timer"));
    private final Replica replica;
    private @Nullable LogClock clock;
    private @Nullable CommandLog log;
    private @Nullable Future<?> next;
    private Instant nextAt = Instant.MAX;

    DeadlineTimer(Replica replica) {
        this.replica = replica;
        scheduler.setRemoveOnCancelPolicy(true);
    }

    /** Begins to watch. */
    void start(LogClock leaderClock, CommandLog commandLog) {
        mutex.lock();
        try {
            clock = leaderClock;
            log = commandLog;
        } finally {
            mutex.unlock();
        }
        arm();
    }

    /** Stops watching: another node leads. */
    void stop() {
        mutex.lock();
        try {
            clock = null;
            log = null;
            if (next != null) {
                next.cancel(false);
            }
            next = null;
            nextAt = Instant.MAX;
        } finally {
            mutex.unlock();
        }
    }

    /** Looks when something will be due; to be called after each entry. */
    void arm() {
        mutex.lock();
        try {
            Optional<Instant> deadline = replica.nextDeadline();
            if (clock == null || deadline.isEmpty() || !deadline.get().isBefore(nextAt) || scheduler.isShutdown()) {
                return; // one that comes too early looks again, which is cheaper than to schedule at each entry
            }
            Duration left = Duration.between(clock.now(), deadline.get());
            schedule(deadline.get(), Math.max(0, left.toNanos()));
        } finally {
            mutex.unlock();
        }
    }

    /** Sends an entry if something is due. */
    void runOnce() {
        CommandLog to;
        boolean due;
        mutex.lock();
        try {
            next = null;
            nextAt = Instant.MAX;
            to = log;
            LogClock by = clock;
            due = by != null
                    && replica.nextDeadline()
                            .filter(at -> !at.isAfter(by.now()))
                            .isPresent();
        } finally {
            mutex.unlock();
        }
        if (to == null || !due) {
            arm();
            return;
        }
        to.submit(new LockCommand.AdvanceTime()).whenComplete((done, error) -> {
            if (error != null) {
                retry();
            }
        });
    }

    @Override
    public void close() {
        mutex.lock(); // who looks whether it is closed, and then schedules, must not be refused
        try {
            scheduler.shutdownNow();
        } finally {
            mutex.unlock();
        }
    }

    private void retry() {
        mutex.lock();
        try {
            if (clock != null && !scheduler.isShutdown()) {
                schedule(Instant.MIN, RETRY.toNanos());
            }
        } finally {
            mutex.unlock();
        }
    }

    private void schedule(Instant at, long nanos) {
        if (next != null) {
            next.cancel(false);
        }
        nextAt = at;
        // A microsecond more: the log's time is cut to microseconds, and must not be short of the deadline.
        next = scheduler.schedule(this::runOnce, nanos + 1_000, TimeUnit.NANOSECONDS);
    }
}
