package dev.tenon.id;

import dev.tenon.TimeSource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The few threads that fetch for all generators of this process. A generator that needs nothing costs none of them, and
 * none is left when no buffer needs anything.
 *
 * <ul>
 *   <li>One call at a time for each {@link Fetching#turn}: a buffer with the same turn waits behind it, on no thread.
 *   <li>{@link Limits#atOnce} calls at a time. A call that has gone on for {@link Limits#slowAfter} no longer counts,
 *       so that a name whose row is locked, or whose store hangs, does not hold up the others; {@link Limits#max} with
 *       all of these.
 *   <li>Those whose last call failed have limits of their own, half as large: a store that is down with a thousand
 *       names leaves threads for the stores that answer.
 * </ul>
 *
 * Thread-safe; the lock is held for moments, never round a call of a store.
 */
final class SegmentFetchers {
    private static final SegmentFetchers SHARED = ofThisJvm();

    private final Executor threads;
    private final TimeSource time;
    private final Limits limits;

    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Ticket> well = new ArrayDeque<>();
    private final Deque<Ticket> sick = new ArrayDeque<>();
    private final Map<Object, Ticket> turns = new HashMap<>(); // of calls that run
    private final Map<Ticket, Long> started = new LinkedHashMap<>(); // the oldest call first
    private boolean alarmed;

    /** What is fetched again and again. */
    interface Fetching {
        /** Of those with equal turns one fetches at a time. */
        Object turn();

        /**
         * One pass: fetches what is due, if anything is.
         *
         * @return how long to wait for the next pass: zero for at once, {@link #UNTIL_DUE} if nothing is due. Anything
         *     between is the pause after a failure, in which nothing becomes due
         */
        Duration runOnce();

        /** In place of a pass for which there was no thread. Answers as {@link #runOnce} does. */
        Duration failed(Throwable why);
    }

    /** Nothing to do until {@link Ticket#due}. */
    static final Duration UNTIL_DUE = Duration.ofDays(1);

    /**
     * How much goes on at a time.
     *
     * @param atOnce calls, without those that are slow
     * @param max calls, with those
     * @param slowAfter when a call counts as slow
     */
    record Limits(int atOnce, int max, Duration slowAfter) {}

    private enum State {
        IDLE,
        QUEUED,
        RUNNING,
        PAUSING
    }

    /** @param threads as many as the limits let run */
    SegmentFetchers(Executor threads, TimeSource time, Limits limits) {
        this.threads = threads;
        this.time = time;
        this.limits = limits;
    }

    /** Those that all generators of this process share. */
    static SegmentFetchers shared() {
        return SHARED;
    }

    private static SegmentFetchers ofThisJvm() {
        FetchThreads threads = FetchThreads.ofThisJvm();
        return new SegmentFetchers(threads, TimeSource.system(), new Limits(8, threads.max(), Duration.ofMillis(250)));
    }

    /** A place for something that is fetched from time to time; it costs nothing but its memory. */
    Ticket ticket(Fetching fetching) {
        return new Ticket(fetching);
    }

    /** The place of one {@link Fetching} among all. */
    final class Ticket {
        private final Fetching fetching;
        private volatile State state = State.IDLE;
        private boolean again;
        private boolean failed;
        private @Nullable List<Ticket> sameTurn;

        private Ticket(Fetching fetching) {
            this.fetching = fetching;
        }

        /** Says that a pass may find something to do. Does not block. */
        void due() {
            State now = state;
            if (now == State.QUEUED || now == State.PAUSING) {
                return; // the pass is to come, and will see what this caller has seen
            }
            lock.lock();
            try {
                if (state == State.RUNNING) {
                    again = true;
                    return;
                }
                if (state != State.IDLE) {
                    return;
                }
                enqueue(this);
            } finally {
                lock.unlock();
            }
            startWhatMay();
        }
    }

    private void enqueue(Ticket ticket) {
        ticket.state = State.QUEUED;
        ticket.again = false;
        (ticket.failed ? sick : well).add(ticket);
    }

    private void startWhatMay() {
        while (true) {
            Ticket next;
            lock.lock();
            try {
                next = take();
            } finally {
                lock.unlock();
            }
            if (next == null) {
                return;
            }
            Ticket first = next;
            try {
                threads.execute(() -> work(first));
            } catch (RuntimeException | Error e) { // such as no memory for a thread
                settle(first, first.fetching.failed(e));
                return;
            }
        }
    }

    private void work(Ticket first) {
        Ticket ticket = first;
        while (ticket != null) {
            Duration delay = UNTIL_DUE;
            try {
                delay = ticket.fetching.runOnce();
            } catch (RuntimeException | Error e) {
                delay = ticket.fetching.failed(e);
            } finally {
                settle(ticket, delay);
            }
            lock.lock();
            try {
                ticket = take();
            } finally {
                lock.unlock();
            }
        }
    }

    /** After a pass, or what was to be one. */
    private void settle(Ticket ticket, Duration delay) {
        boolean pauses = !delay.isZero() && delay.compareTo(UNTIL_DUE) < 0;
        lock.lock();
        try {
            started.remove(ticket);
            turns.remove(ticket.fetching.turn());
            List<Ticket> behind = ticket.sameTurn;
            ticket.sameTurn = null;
            if (behind != null) {
                behind.forEach(this::enqueue);
            }
            ticket.failed = pauses;
            if (pauses) {
                ticket.state = State.PAUSING;
            } else if (delay.isZero() || ticket.again) {
                enqueue(ticket);
            } else {
                ticket.state = State.IDLE;
            }
        } finally {
            lock.unlock();
        }
        if (pauses) {
            pause(ticket, delay);
        }
    }

    private void pause(Ticket ticket, Duration delay) {
        boolean timed = false;
        try {
            after(delay, () -> resume(ticket));
            timed = true;
        } finally {
            if (!timed) {
                ticket.state = State.IDLE; // no memory for it: the next caller says again that it is due
            }
        }
    }

    private void resume(Ticket ticket) {
        lock.lock();
        try {
            enqueue(ticket);
        } finally {
            lock.unlock();
        }
        startWhatMay();
    }

    /** Under the lock: what is to run now, and counts as running from now on. */
    private @Nullable Ticket take() {
        long now = time.nanoTime();
        Ticket next = admits(now, false, limits.atOnce, limits.max) ? first(well) : null;
        if (next == null && admits(now, true, limits.atOnce / 2, limits.max / 2)) {
            next = first(sick);
        }
        if (next == null) {
            alarm();
            return null;
        }
        next.state = State.RUNNING;
        turns.put(next.fetching.turn(), next);
        started.put(next, now);
        return next;
    }

    /** Under the lock: whether one more may run of those whose last call failed, or of the others. */
    private boolean admits(long now, boolean failed, int quickMax, int max) {
        int running = 0;
        int quick = 0;
        for (Map.Entry<Ticket, Long> call : started.entrySet()) {
            if (call.getKey().failed == failed) {
                running++;
                quick += now - call.getValue() < limits.slowAfter.toNanos() ? 1 : 0;
            }
        }
        return started.size() < limits.max && running < max && quick < quickMax;
    }

    /** Under the lock: the first whose turn is free; those before it wait behind the holder of theirs. */
    private @Nullable Ticket first(Deque<Ticket> queue) {
        while (true) {
            Ticket next = queue.poll();
            Ticket ahead = next == null ? null : turns.get(next.fetching.turn());
            if (next == null || ahead == null) {
                return next;
            }
            if (ahead.sameTurn == null) {
                ahead.sameTurn = new ArrayList<>(1);
            }
            ahead.sameTurn.add(next);
        }
    }

    /** Under the lock: schedules another look for when calls that run now may have become slow ones. */
    private void alarm() {
        if (alarmed || well.isEmpty() && sick.isEmpty()) {
            return;
        }
        after(limits.slowAfter, () -> {
            lock.lock();
            try {
                alarmed = false;
            } finally {
                lock.unlock();
            }
            startWhatMay();
        });
        alarmed = true; // before that runs, as it needs the lock
    }

    /** On the timer of the JDK, which all of the process share: what is done there is over at once. */
    private static void after(Duration delay, Runnable then) {
        CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS, Runnable::run)
                .execute(then);
    }
}
