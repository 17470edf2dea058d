package dev.tenon.lock;

import dev.tenon.Names;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.LockView;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * An election: whoever holds the lock of this name leads, for as long as its {@link Lease} is held. The leader's value
 * (its address, say) is the owner text of its hold, so that it comes and goes with the leadership in the same step.
 *
 * <p>A leader that does not know yet that it has lost may still believe to lead: let what it leads check {@link
 * Lease#token}. Thread-safe.
 */
public final class Election {
    /** The shortest interval between two looks of an {@link #observe observation}. */
    public static final Duration INTERVAL_MIN = Duration.ofMillis(10);

    private final Locks locks;
    private final String name;
    private final LockOptions options;

    Election(Locks locks, String name, LockOptions options) {
        this.locks = locks;
        this.name = Names.requireValid("election name", name);
        this.options = options;
    }

    /**
     * Who leads.
     *
     * @param value as the leader gave it
     * @param token of its lease; the next leader's is greater
     * @param since when it was elected, by the store's clock
     */
    public record Leader(String value, long token, Instant since) {}

    /** An observation that goes on until it is closed, or its {@link Locks} are. */
    public static final class Observation implements AutoCloseable {
        private volatile boolean closed;

        private Observation() {}

        /** Ends it. A call to the observer that is under way goes on. */
        @Override
        public void close() {
            closed = true;
        }
    }

    /**
     * Waits to become the leader. Closing the lease resigns; {@link Lease#lost} tells that the leadership is lost.
     *
     * @param value what others are to know of the leader, such as its address: 1 to 200 characters ({@link Names})
     * @param wait how long at most, more than zero
     * @throws LockTimeoutException if another led for all of that time
     * @throws InterruptedException if the thread is interrupted; it does not lead then
     */
    public Lease campaign(String value, Duration wait) throws InterruptedException {
        return candidate(value).acquire(wait);
    }

    /** Becomes the leader if there is none and nobody campaigns. One round trip. */
    public Optional<Lease> tryCampaign(String value) {
        return candidate(value).tryAcquire();
    }

    /** Who leads at this moment. One round trip. */
    public Optional<Leader> leader() {
        return leaderOf(locks.inspect(name));
    }

    /**
     * Tells who leads: the leader of now, and then each change that is seen. The store is asked again and again, once
     * an interval (there is no watch that every store has), so a leadership shorter than that may go unseen. While the
     * store can't be reached nothing is told.
     *
     * @param interval between an answer and the next question, {@link #INTERVAL_MIN} or more
     * @param observer told of the leader, or of there being none, one call at a time, on a thread that Tenon has for
     *     this; it may block
     */
    public Observation observe(Duration interval, Consumer<Optional<Leader>> observer) {
        if (interval.compareTo(INTERVAL_MIN) < 0) {
            throw new IllegalArgumentException("Interval must be " + INTERVAL_MIN + " or more: " + interval);
        }
        Observation observation = new Observation();
        new Look(observation, interval, Objects.requireNonNull(observer, "observer")).runOnce();
        return observation;
    }

    @Override
    public String toString() {
        return "Election[" + name + "]";
    }

    private DistributedLock candidate(String value) {
        Wish wish = Wish.of(name, LockMode.EXCLUSIVE, options);
        return new DistributedLock(locks, wish.as(Names.requireValid("value", value)));
    }

    private static Optional<Leader> leaderOf(Optional<LockView> view) {
        return view.flatMap(LockView::holder).map(held -> new Leader(held.owner(), held.token(), held.since()));
    }

    /** The loop of one observation. */
    private final class Look {
        private final Observation observation;
        private final Duration interval;
        private final Consumer<Optional<Leader>> observer;
        /** What was told last; nothing has been told while this is empty. Only one look is under way at a time. */
        private Optional<Optional<Leader>> told = Optional.empty();

        Look(Observation observation, Duration interval, Consumer<Optional<Leader>> observer) {
            this.observation = observation;
            this.interval = interval;
            this.observer = observer;
        }

        void runOnce() {
            locks.store()
                    .inspect(name)
                    .thenAcceptAsync(
                            view -> tell(leaderOf(view)), locks.events().callbacks())
                    .whenComplete((done, failure) -> again());
        }

        private void tell(Optional<Leader> leader) {
            if (!observation.closed && !told.equals(Optional.of(leader))) {
                told = Optional.of(leader);
                observer.accept(leader);
            }
        }

        private void again() {
            if (observation.closed) {
                return;
            }
            try {
                locks.timers().schedule(this::runOnce, interval.toNanos(), TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException locksAreClosed) {
                observation.close();
            }
        }
    }
}
