package dev.tenon.id;

import dev.tenon.Names;
import dev.tenon.TimeSource;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The worker ID under which one {@link SnowflakeGenerator} issues: fixed by whoever deploys the process, or leased
 * from a store. Each serves exactly one generator. Thread-safe.
 *
 * <p>A leased one promises, whatever clocks and processes do:
 *
 * <ul>
 *   <li>The store's clock decides when the lease is over. Here only monotonic time counts, from the moment before the
 *       store was asked and less a margin; past that, the generator issues nothing until the store has confirmed the
 *       lease or given another worker ID, or it throws {@link dev.tenon.LeaseLostException}.
 *   <li>Before timestamps are used, the store has been told that they may be. Whoever holds the same worker ID next,
 *       after a restart, a kill or with a clock that was set back, starts after them.
 *   <li>It is renewed in the background, at a third of the lease, by a daemon thread.
 * </ul>
 *
 * <p>A fixed one has none of that: that no two processes use it at a time is the deployer's care, and a clock that is
 * set back while the process is down repeats IDs. A restart without that does not.
 */
public abstract sealed class WorkerId implements AutoCloseable permits FixedWorkerId, LeasedWorkerId {
    private final AtomicBoolean attached = new AtomicBoolean();
    private final TimeSource time;

    WorkerId(TimeSource time) {
        this.time = Objects.requireNonNull(time, "time");
    }

    /** A worker ID that the deployer chose. */
    public static WorkerId fixed(int value) {
        return fixed(value, TimeSource.system());
    }

    /** A worker ID that the deployer chose, on a given clock. */
    public static WorkerId fixed(int value, TimeSource time) {
        return new FixedWorkerId(value, time);
    }

    /** Leases a worker ID with the defaults of {@link #builder}. */
    public static WorkerId lease(WorkerIdSource source, IdLayout layout) {
        return builder(source, layout).lease();
    }

    /** Begins leasing a worker ID from a store, for a generator of the given layout. */
    public static Builder builder(WorkerIdSource source, IdLayout layout) {
        return new Builder(source, layout);
    }

    /** The worker ID now. A leased one changes when a lease was lost or the clock was set back. */
    public abstract int value();

    /**
     * Ends the use of the worker ID: its generator throws {@link IllegalStateException} from then on. A leased one is
     * given back to the store; if that cannot be reached, its lease runs out by itself. Idempotent.
     */
    @Override
    public abstract void close();

    final TimeSource time() {
        return time;
    }

    /** Binds this to its one generator. */
    final HeldSlot attach(IdLayout layout, long borrowTicks) {
        if (!attached.compareAndSet(false, true)) {
            throw new IllegalStateException(
                    "This worker ID has a generator already; two would repeat each other's IDs");
        }
        return begin(layout, borrowTicks);
    }

    /**
     * The claim to begin with.
     *
     * @throws IllegalArgumentException if this does not fit the layout
     */
    abstract HeldSlot begin(IdLayout layout, long borrowTicks);

    /** Called when {@code seen} is sealed or has lapsed: confirms it or gets another, or throws. */
    abstract HeldSlot confirm(HeldSlot seen);

    /** Called when {@code position} is beyond the fence of {@code seen}: moves the fence or gets another, or throws. */
    abstract HeldSlot extend(HeldSlot seen, long position);

    /**
     * Called when the clock is too far behind {@code seen}: gets one that may be used from {@code tickMax} on, or
     * throws.
     */
    abstract HeldSlot stepAside(HeldSlot seen, long tickMax);

    /** Collects how a worker ID is leased. Not thread-safe. */
    public static final class Builder {
        private static final Duration LEASE_DEFAULT = Duration.ofSeconds(30);
        /** A shorter one would be over before it is used: callers would do nothing but renew. */
        private static final Duration LEASE_MIN = Duration.ofMillis(100);

        final WorkerIdSource source;
        final IdLayout layout;
        String owner = "";
        Duration leaseTime = LEASE_DEFAULT;
        TimeSource time = TimeSource.system();
        boolean scheduled = true;

        private Builder(WorkerIdSource source, IdLayout layout) {
            this.source = Objects.requireNonNull(source, "source");
            this.layout = Objects.requireNonNull(layout, "layout");
        }

        /** Who holds it, for people who look; by default this host and process. */
        public Builder owner(String value) {
            this.owner = Names.requireValid("worker owner", value);
            return this;
        }

        /**
         * How long the store keeps the worker ID for a process that does not renew it, and so how long the generator
         * goes on while the store is away; 30 s by default, 100 ms to {@link WorkerClaim#LEASE_MAX}.
         */
        public Builder leaseTime(Duration value) {
            if (value.compareTo(LEASE_MIN) < 0) {
                throw new IllegalArgumentException("Lease must be at least " + LEASE_MIN + ": " + value);
            }
            this.leaseTime = WorkerClaim.requireLease(value);
            return this;
        }

        /** The clock of this process. */
        public Builder time(TimeSource value) {
            this.time = Objects.requireNonNull(value, "time");
            return this;
        }

        /** Leaves the renewals to whoever calls {@link LeasedWorkerId#runOnce}. */
        Builder unscheduled() {
            this.scheduled = false;
            return this;
        }

        /**
         * Leases a worker ID.
         *
         * @throws WorkerIdsExhaustedException if every one is leased
         * @throws DefinitionConflictException if the group has another layout
         * @throws dev.tenon.BackendUnavailableException if the store can't be asked
         * @throws dev.tenon.OutcomeUnknownException if its reply was lost: one worker ID may stay leased until its
         *     lease ends
         */
        public WorkerId lease() {
            return leased();
        }

        LeasedWorkerId leased() {
            if (owner.isEmpty()) {
                owner = host() + ":" + ProcessHandle.current().pid();
            }
            return new LeasedWorkerId(this);
        }

        private static String host() {
            try {
                return Names.requireValid(
                        "host name", InetAddress.getLocalHost().getHostName());
            } catch (UnknownHostException | IllegalArgumentException e) {
                return "localhost";
            }
        }
    }
}
