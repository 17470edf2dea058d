package dev.tenon.id;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TimeSource;
import dev.tenon.id.spi.IdRange;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The numbers that a segment generator has at hand: the segment it issues from and at most one more, which a thread of
 * its own fetches in time. Issuing is one atomic addition; the lock is for those who find nothing left.
 */
final class SegmentBuffer {
    /** In place of a number; numbers are 0 or more. */
    static final long NONE = -1;

    private static final Duration PAUSE_MIN = Duration.ofMillis(20);
    private static final Duration PAUSE_MAX = Duration.ofSeconds(1);
    private static final Duration UNTIL_WOKEN = Duration.ofDays(1);

    private final RangeSupply supply;
    private final SegmentPolicy policy;
    private final TimeSource time;
    private final @Nullable SecureRandom shuffle;
    private final SegmentSignal signal;
    private final Thread fetcher;

    private final AtomicBoolean fetching = new AtomicBoolean();

    private final AtomicLong wasted = new AtomicLong();

    private volatile Segment current = Segment.empty();
    private volatile boolean closed;
    private volatile @Nullable RuntimeException failure;
    private volatile long dryNanos; // when the first caller found nothing left
    private volatile boolean dry;

    // Touched only by whoever fetches.
    private final SegmentSizing sizing;
    private Duration pause = Duration.ZERO;
    private long retryNanos;

    /**
     * @param shuffle for keys of secret orders; numbers ascend without it
     * @param signal what callers wait on
     */
    SegmentBuffer(
            RangeSupply supply,
            SegmentPolicy policy,
            TimeSource time,
            @Nullable SecureRandom shuffle,
            SegmentSignal signal) {
        this.supply = supply;
        this.policy = Objects.requireNonNull(policy, "policy");
        this.time = Objects.requireNonNull(time, "time");
        this.shuffle = shuffle;
        this.signal = signal;
        this.sizing = new SegmentSizing(policy);
        this.fetcher = new Thread(this::fetchAlways, "tenon-segment-" + supply.name());
        fetcher.setDaemon(true);
    }

    /** Starts fetching in the background; without it, somebody must call {@link #runOnce}. */
    SegmentBuffer start() {
        fetcher.start();
        return this;
    }

    long next() {
        while (true) {
            Segment segment = current;
            long index = segment.take(1);
            if (index < segment.count()) {
                if (segment.alarmIn(index, 1)) {
                    LockSupport.unpark(fetcher);
                }
                return segment.id(index);
            }
            goOnAfter(segment);
        }
    }

    /** As {@link #next}, without waiting: {@link #NONE} if there is nothing at hand. */
    long tryNext() {
        while (head() != NONE) {
            Segment segment = current;
            long index = segment.take(1);
            if (index < segment.count()) {
                if (segment.alarmIn(index, 1)) {
                    LockSupport.unpark(fetcher);
                }
                return segment.id(index);
            }
        }
        return NONE;
    }

    /** The number that {@link #tryNext} would give, if nobody else takes it; {@link #NONE} if there is none at hand. */
    long head() {
        while (true) {
            Segment segment = current;
            long index = segment.get();
            if (index < segment.count()) {
                return segment.id(index);
            }
            if (segment.next() == null) {
                return NONE;
            }
            goOnAfter(segment);
        }
    }

    /** Says that somebody found nothing at hand. */
    void want() {
        if (dry || closed) {
            return;
        }
        signal.lock.lock();
        try {
            markDry();
        } finally {
            signal.lock.unlock();
        }
        LockSupport.unpark(fetcher);
    }

    /** Why the last attempt to fetch failed. */
    @Nullable
    RuntimeException failure() {
        return failure;
    }

    void fill(long[] ids) {
        int filled = 0;
        while (filled < ids.length) {
            Segment segment = current;
            long index = segment.take(ids.length - filled);
            int taken = (int) Math.max(0, Math.min(ids.length - filled, segment.count() - index));
            for (int i = 0; i < taken; i++) {
                ids[filled + i] = segment.id(index + i);
            }
            filled += taken;
            if (taken > 0 && segment.alarmIn(index, taken)) {
                LockSupport.unpark(fetcher);
            }
            if (taken == 0) {
                goOnAfter(segment);
            }
        }
    }

    /** At most {@code count} numbers of the range that is being issued, at once. */
    IdRange nextRange(int count) {
        IdRange.requireCount(count);
        while (true) {
            Segment segment = current;
            long index = segment.take(count);
            long taken = Math.min(count, segment.count() - index);
            if (taken > 0) {
                if (segment.alarmIn(index, taken)) {
                    LockSupport.unpark(fetcher);
                }
                return segment.range(index, taken);
            }
            goOnAfter(segment);
        }
    }

    /** Numbers at hand. */
    long left() {
        Segment segment = current;
        Segment following = segment.next();
        return segment.left() + (following == null ? 0 : following.left());
    }

    /** Numbers that were taken from the store and will never be issued. */
    long wasted() {
        return wasted.get() + supply.refused();
    }

    /** Ends issuing, and counts what was not issued as wasted. */
    void close() {
        signal.lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            for (Segment segment = current; segment != null; segment = segment.next()) {
                wasted.addAndGet(segment.takeRest());
            }
            signal.changed.signalAll();
        } finally {
            signal.lock.unlock();
        }
        LockSupport.unpark(fetcher);
    }

    private void goOnAfter(Segment used) {
        Segment following = used.next();
        if (following == null) {
            awaitSegmentAfter(used);
            return;
        }
        signal.lock.lock();
        try {
            if (current == used) {
                current = following;
            }
        } finally {
            signal.lock.unlock();
        }
    }

    private void awaitSegmentAfter(Segment used) {
        signal.lock.lock();
        try {
            markDry();
            LockSupport.unpark(fetcher);
            long left = policy.waitMax().toNanos();
            while (used.next() == null) {
                if (closed) {
                    throw new IllegalStateException("The generator of \"" + supply.name() + "\" is closed");
                }
                RuntimeException cause = failure;
                if (cause != null && (left <= 0 || !passing(cause))) {
                    throw cause;
                }
                if (left <= 0) {
                    throw new BackendUnavailableException(
                            "The store gave no numbers of \"" + supply.name() + "\" within " + policy.waitMax());
                }
                left = signal.changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BackendUnavailableException(
                    "Interrupted while waiting for numbers of \"" + supply.name() + "\"", e);
        } finally {
            signal.lock.unlock();
        }
    }

    /** Under the lock, so that it is not said of numbers that came meanwhile. */
    private void markDry() {
        if (!dry && left() == 0) {
            dryNanos = time.nanoTime();
            dry = true;
        }
    }

    /** Whether waiting may help. */
    static boolean passing(RuntimeException failure) {
        return failure instanceof BackendUnavailableException || failure instanceof OutcomeUnknownException;
    }

    private void fetchAlways() {
        while (!closed) {
            LockSupport.parkNanos(this, runOnce().toNanos());
        }
    }

    /**
     * One pass of the background: fetches a segment if one is due, and if no other thread is doing so.
     *
     * @return how long to wait for the next pass, unless woken
     */
    Duration runOnce() {
        if (closed || !fetching.compareAndSet(false, true)) {
            return UNTIL_WOKEN;
        }
        try {
            Segment tail = current;
            if (tail.next() != null || !tail.low() && !dry) {
                return UNTIL_WOKEN;
            }
            long now = time.nanoTime();
            if (!pause.isZero() && now - retryNanos < 0) {
                return Duration.ofNanos(retryNanos - now);
            }
            return fetch(tail, now);
        } finally {
            fetching.set(false);
        }
    }

    private Duration fetch(Segment tail, long now) {
        try {
            long left = tail.left();
            boolean ranDry = dry;
            long wanted = tail.count() == 0
                    ? sizing.first()
                    : sizing.next(tail.count(), ranDry ? 0 : left, ranDry ? dryNanos : now);
            IdRange range = supply.next(wanted);
            sizing.bought(wanted, left, now);
            pause = Duration.ZERO;
            IndexPermutation order = shuffle == null ? null : new IndexPermutation(range.count(), shuffle);
            append(tail, Segment.of(range, policy.prefetchAt(), order));
            return Duration.ZERO;
        } catch (RuntimeException e) {
            return failed(e);
        } catch (Error e) { // such as no memory for a thread: if it ended this one, nobody would fetch any more
            return failed(new BackendUnavailableException(
                    "Numbers of \"" + supply.name() + "\" could not be fetched: " + e, e));
        }
    }

    private void append(Segment tail, Segment fetched) {
        signal.lock.lock();
        try {
            failure = null;
            dry = false;
            if (closed) {
                wasted.addAndGet(fetched.takeRest());
                return;
            }
            tail.append(fetched);
            signal.changed.signalAll();
        } finally {
            signal.lock.unlock();
        }
    }

    private Duration failed(RuntimeException e) {
        pause = pause.isZero() ? PAUSE_MIN : pause.multipliedBy(2);
        if (pause.compareTo(PAUSE_MAX) > 0) {
            pause = PAUSE_MAX;
        }
        retryNanos = time.nanoTime() + pause.toNanos();
        signal.lock.lock();
        try {
            failure = e;
            signal.changed.signalAll();
        } finally {
            signal.lock.unlock();
        }
        return pause;
    }
}
