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
import org.jspecify.annotations.Nullable;

/**
 * The numbers that a segment generator has at hand: the segment it issues from and at most one more, which the {@link
 * SegmentFetchers} fetch in time. Issuing is one atomic addition; the lock is for callers that find nothing left.
 */
final class SegmentBuffer implements SegmentFetchers.Fetching {
    /** In place of a number; numbers are 0 or more. */
    static final long NONE = -1;

    private static final Duration PAUSE_MIN = Duration.ofMillis(20);
    private static final Duration PAUSE_MAX = Duration.ofSeconds(1);

    private final RangeSupply supply;
    private final SegmentPolicy policy;
    private final TimeSource time;
    private final @Nullable SecureRandom shuffle;
    private final SegmentSignal signal;
    private volatile SegmentFetchers.@Nullable Ticket ticket;

    private final AtomicBoolean fetching = new AtomicBoolean();

    private final AtomicLong wasted = new AtomicLong();

    private volatile Segment current = Segment.empty();
    private volatile boolean closed;
    private volatile @Nullable RuntimeException failure;
    private volatile long dryNanos; // when the first caller found nothing left
    private volatile boolean dry;

    // Touched only by the fetching thread: one thread after the other, with a lock of the fetchers between.
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
    }

    /** Has numbers fetched in the background; without it, the caller must call {@link #runOnce}. */
    SegmentBuffer start(SegmentFetchers fetchers) {
        ticket = fetchers.ticket(this);
        return this;
    }

    private void wake() {
        SegmentFetchers.Ticket place = ticket;
        if (place != null) {
            place.due();
        }
    }

    long next() {
        while (true) {
            Segment segment = current;
            long index = segment.take(1);
            if (index < segment.count()) {
                if (segment.alarmIn(index, 1)) {
                    wake();
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
                    wake();
                }
                return segment.id(index);
            }
        }
        return NONE;
    }

    /**
     * The number that {@link #tryNext} would give, if no other caller takes it; {@link #NONE} if there is none at hand.
     */
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

    /** Says that a caller found nothing at hand. */
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
        wake();
    }

    /**
     * Has numbers fetched if there are none at hand, and waits until there are.
     *
     * @return false: there are none yet, as the store failed, the time is over, this is closed or the thread was
     *     interrupted
     */
    boolean prefetch(Duration atMost) {
        want();
        signal.lock.lock();
        try {
            long left = atMost.toNanos();
            while (left() == 0) {
                if (closed || failure != null || left <= 0) {
                    return false;
                }
                left = signal.changed.awaitNanos(left);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            signal.lock.unlock();
        }
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
                wake();
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
                    wake();
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
        markDry();
        wake(); // without the lock: it may come to fetch for others, and to tell them under theirs
        signal.lock.lock();
        try {
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
        signal.lock.lock();
        try {
            if (!dry && left() == 0) {
                dryNanos = time.nanoTime();
                dry = true;
            }
        } finally {
            signal.lock.unlock();
        }
    }

    /** Whether waiting may help. */
    static boolean passing(RuntimeException failure) {
        return failure instanceof BackendUnavailableException || failure instanceof OutcomeUnknownException;
    }

    /** The turn of the supply: a sequence of a store gets one call at a time. */
    @Override
    public Object turn() {
        return supply.turn();
    }

    /** One pass of the background: fetches a segment if one is due, and if no other thread is doing so. */
    @Override
    public Duration runOnce() {
        if (closed || !fetching.compareAndSet(false, true)) {
            return SegmentFetchers.UNTIL_DUE;
        }
        try {
            Segment tail = current;
            if (tail.next() != null || !tail.low() && !dry) {
                return SegmentFetchers.UNTIL_DUE;
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
        } catch (RuntimeException | Error e) { // an error such as no memory for a thread: callers must hear of it
            return failed(e);
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

    /** Wakes the callers that wait. */
    @Override
    public Duration failed(Throwable why) {
        RuntimeException told = why instanceof RuntimeException known
                ? known
                : new BackendUnavailableException(
                        "Numbers of \"" + supply.name() + "\" could not be fetched: " + why, why);
        pause = pause.isZero() ? PAUSE_MIN : pause.multipliedBy(2);
        if (pause.compareTo(PAUSE_MAX) > 0) {
            pause = PAUSE_MAX;
        }
        retryNanos = time.nanoTime() + pause.toNanos();
        signal.lock.lock();
        try {
            failure = told;
            signal.changed.signalAll();
        } finally {
            signal.lock.unlock();
        }
        return pause;
    }
}
