package dev.tenon.id;

import dev.tenon.BackendUnavailableException;
import dev.tenon.Names;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TimeSource;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeStore;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The numbers that a segment generator has at hand: the segment it issues from and at most one more, which a thread of
 * its own fetches in time. Issuing is one atomic addition; the lock is for those who find nothing left.
 */
final class SegmentBuffer {
    private static final Duration PAUSE_MIN = Duration.ofMillis(20);
    private static final Duration PAUSE_MAX = Duration.ofSeconds(1);
    private static final Duration UNTIL_WOKEN = Duration.ofDays(1);
    /** A segment is at most so many times its predecessor, or a short burst would buy for a long one. */
    private static final long GROWTH_MAX = 8;

    private final RangeStore store;
    private final String name;
    private final SegmentPolicy policy;
    private final TimeSource time;
    private final @Nullable SecureRandom shuffle;
    private final Thread fetcher;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final AtomicBoolean fetching = new AtomicBoolean();

    private final AtomicLong wasted = new AtomicLong();

    private volatile Segment current = Segment.empty();
    private volatile boolean closed;
    private volatile @Nullable RuntimeException failure;
    private volatile long dryNanos; // when the first caller found nothing left
    private volatile boolean dry;

    // Touched only by whoever fetches.
    private long lastSeen = -1;
    private long size;
    private long boughtNanos;
    private long leftWhenBought;
    private Duration pause = Duration.ZERO;
    private long retryNanos;

    /**
     * @param shuffle for keys of secret orders; numbers ascend without it
     */
    SegmentBuffer(
            RangeStore store, String name, SegmentPolicy policy, TimeSource time, @Nullable SecureRandom shuffle) {
        this.store = Objects.requireNonNull(store, "store");
        this.name = Names.requireValid("sequence name", name);
        this.policy = Objects.requireNonNull(policy, "policy");
        this.time = Objects.requireNonNull(time, "time");
        this.shuffle = shuffle;
        this.fetcher = new Thread(this::fetchAlways, "tenon-segment-" + name);
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

    /** Numbers at hand. */
    long left() {
        Segment segment = current;
        Segment following = segment.next();
        return segment.left() + (following == null ? 0 : following.left());
    }

    /** Numbers that were taken from the store and will never be issued. */
    long wasted() {
        return wasted.get();
    }

    /** Ends issuing, and counts what was not issued as wasted. */
    void close() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            for (Segment segment = current; segment != null; segment = segment.next()) {
                wasted.addAndGet(segment.takeRest());
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        LockSupport.unpark(fetcher);
    }

    private void goOnAfter(Segment used) {
        Segment following = used.next();
        if (following == null) {
            awaitSegmentAfter(used);
            return;
        }
        lock.lock();
        try {
            if (current == used) {
                current = following;
            }
        } finally {
            lock.unlock();
        }
    }

    private void awaitSegmentAfter(Segment used) {
        lock.lock();
        try {
            if (!dry && used.next() == null) {
                dryNanos = time.nanoTime();
                dry = true;
            }
            LockSupport.unpark(fetcher);
            long left = policy.waitMax().toNanos();
            while (used.next() == null) {
                if (closed) {
                    throw new IllegalStateException("The generator of \"" + name + "\" is closed");
                }
                RuntimeException cause = failure;
                if (cause != null && (left <= 0 || !passing(cause))) {
                    throw cause;
                }
                if (left <= 0) {
                    throw new BackendUnavailableException(
                            "The store gave no numbers of \"" + name + "\" within " + policy.waitMax());
                }
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BackendUnavailableException("Interrupted while waiting for numbers of \"" + name + "\"", e);
        } finally {
            lock.unlock();
        }
    }

    /** Whether waiting may help. */
    private static boolean passing(RuntimeException failure) {
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
            long wanted = nextSize(tail, now);
            long left = tail.left();
            IdRange range = store.next(name, wanted);
            if (range.first() <= lastSeen) {
                wasted.addAndGet(range.count());
                throw new SequenceRegressedException("Sequence \"" + name + "\" went back: the store gave "
                        + range.first() + " after " + lastSeen + "; raise it above everything issued before going on");
            }
            lastSeen = range.last();
            size = wanted;
            boughtNanos = now;
            leftWhenBought = left;
            pause = Duration.ZERO;
            IndexPermutation order = shuffle == null ? null : new IndexPermutation(range.count(), shuffle);
            append(tail, Segment.of(range, policy.prefetchAt(), order));
            return Duration.ZERO;
        } catch (RuntimeException e) {
            pause = pause.isZero() ? PAUSE_MIN : pause.multipliedBy(2);
            if (pause.compareTo(PAUSE_MAX) > 0) {
                pause = PAUSE_MAX;
            }
            retryNanos = time.nanoTime() + pause.toNanos();
            failed(e);
            return pause;
        }
    }

    /** What the numbers used since the last purchase say of the rate, times the target. */
    private long nextSize(Segment tail, long now) {
        if (tail.count() == 0) {
            return policy.sizeMin();
        }
        boolean ranDry = dry;
        long end = ranDry ? dryNanos : now;
        double used = leftWhenBought + tail.count() - (ranDry ? 0 : tail.left());
        double nanos = Math.max(1, end - boughtNanos);
        double wanted = used / nanos * policy.target().toNanos();
        long grown = Math.min(size, policy.sizeMax() / GROWTH_MAX + 1) * GROWTH_MAX;
        return Math.max(policy.sizeMin(), Math.min(policy.sizeMax(), (long) Math.min(grown, wanted)));
    }

    private void append(Segment tail, Segment fetched) {
        lock.lock();
        try {
            failure = null;
            dry = false;
            if (closed) {
                wasted.addAndGet(fetched.takeRest());
                return;
            }
            tail.append(fetched);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void failed(RuntimeException e) {
        lock.lock();
        try {
            failure = e;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
