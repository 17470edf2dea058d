package dev.tenon.id;

import dev.tenon.Names;
import dev.tenon.TimeSource;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The worker ID under which one {@link SnowflakeGenerator} issues: fixed at deployment (see {@link
 * ChosenWorkerId}), kept in a file of the machine, or leased from a store. Each serves exactly one generator.
 * Thread-safe.
 *
 * <p>A leased one promises, whatever clocks and processes do:
 *
 * <ul>
 *   <li>The store's clock decides when the lease is over. Here only monotonic time counts, from the moment before the
 *       store was asked and less a margin; past that, the generator issues nothing until the store has confirmed the
 *       lease or given another worker ID, or it throws {@link dev.tenon.LeaseLostException}.
 *   <li>Before timestamps are used, the store has been told that they may be. The next holder of the same worker ID,
 *       after a restart, a kill or with a clock that was set back, starts after them.
 *   <li>It is renewed in the background, at a third of the lease, by a daemon thread.
 *   <li>A store that forgets (a restart without persistence, a restored copy, a failover) gives no worker ID before all
 *       that it had given are told of anew, or over; the holder is {@linkplain Builder#whenForgotten told}.
 * </ul>
 *
 * <p>One in a file promises the same on its machine: the lock of the file is the lease, and the machine the store.
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

    /**
     * A worker ID that the deployer chose and a file of this machine keeps: the file is locked, so that no two
     * processes of the machine use it at a time, and carries the time fence, so that a restart with the clock set back
     * repeats no ID. It is made if it does not exist; every other file of that name is left as it is. While it is in
     * use it is replaced once a second, reaching the disk each time; generators don't wait for that.
     *
     * <p>After a kill the start waits until the time that the file had reserved is over: at most 3.05 seconds and three
     * units of the layout; after a {@link #close} not at all. When the file can no longer be written, the generator
     * goes on for as long, and then throws {@link dev.tenon.LeaseLostException} until it can.
     *
     * @param file in an existing folder that outlives the process, such as a mounted volume; not on a network file
     *     system without locks
     * @throws IllegalArgumentException if the layout does not have this worker ID
     * @throws WorkerIdTakenException if the file is in use, here or in another process
     * @throws DefinitionConflictException if the file keeps another worker ID, or for another layout
     * @throws IllegalStateException if the file is empty or damaged; the message says what to do
     * @throws ClockMovedBackwardsException if the clock is further behind what the file has reserved: it was set back,
     *     or a generator that runs ahead of it (see {@link SnowflakeGenerator.Builder#borrow}) was killed in a burst
     * @throws dev.tenon.BackendUnavailableException if the file can't be read, written or locked
     */
    public static WorkerId inFile(Path file, IdLayout layout, int value) {
        return inFile(file, layout, value, TimeSource.system());
    }

    /** As {@link #inFile(Path, IdLayout, int)}, on a given clock. */
    public static WorkerId inFile(Path file, IdLayout layout, int value, TimeSource time) {
        return Builder.ofFile(file, layout, value).time(time).lease();
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
        /**
         * The longest {@link #leaseTime}: a killed process blocks its worker ID for so long, and a store that may have
         * forgotten gives none.
         */
        public static final Duration LEASE_MAX = Duration.ofDays(1);

        private static final Duration LEASE_DEFAULT = Duration.ofSeconds(30);
        /** A shorter one would be over before it is used: callers would do nothing but renew. */
        private static final Duration LEASE_MIN = Duration.ofMillis(100);

        private static final Duration FILE_LEASE = Duration.ofSeconds(3);

        final IdLayout layout;
        WorkerIdSource source;
        OptionalInt wanted = OptionalInt.empty();
        Runnable whenClosed = () -> {};
        Consumer<WorkerIdsForgottenException> whenForgotten = forgotten -> {};
        Duration settlingMax = WorkerClaim.LEASE_MAX;
        boolean newStore;
        String owner = "";
        Duration leaseTime = LEASE_DEFAULT;
        TimeSource time = TimeSource.system();
        boolean scheduled = true;
        Semaphore conversation = new Semaphore(1); // a test's own lets others in before it is taken
        private @Nullable Path memory;

        private Builder(WorkerIdSource source, IdLayout layout) {
            this.source = Objects.requireNonNull(source, "source");
            this.layout = Objects.requireNonNull(layout, "layout");
        }

        static Builder ofFile(Path file, IdLayout layout, int value) {
            requireValid(layout, value);
            FileSlot slot = FileSlot.open(file, layout, value);
            Builder builder = new Builder(slot, layout).wanted(value).leaseTime(FILE_LEASE);
            builder.whenClosed = slot::close;
            return builder;
        }

        private static void requireValid(IdLayout layout, int value) {
            if (value < 0 || value >= layout.workers()) {
                throw new IllegalArgumentException(
                        "Worker ID must be between 0 and " + (layout.workers() - 1) + " in this layout: " + value);
            }
        }

        /**
         * The only worker ID that will do: one that was chosen (see {@link ChosenWorkerId}) and is leased so that no
         * other process has it. A lost lease then ends in {@link dev.tenon.LeaseLostException} until the same one can
         * be had again, and a clock that was set back in {@link ClockMovedBackwardsException}, as there is no spare.
         *
         * @throws IllegalArgumentException if the layout does not have it
         */
        public Builder wanted(int value) {
            requireValid(layout, value);
            this.wanted = OptionalInt.of(value);
            return this;
        }

        /**
         * A file in which the worker ID is remembered, so that the next start asks for the same one; if that is leased,
         * any other will do. The file allots nothing: without the store there is no start. It is made if it does not
         * exist, and locked until the worker ID is closed.
         */
        public Builder rememberIn(Path value) {
            this.memory = Objects.requireNonNull(value, "file");
            return this;
        }

        /** The name of the holder, for operators; by default this host and process. */
        public Builder owner(String value) {
            this.owner = Names.requireValid("worker owner", value);
            return this;
        }

        /**
         * How long the store keeps the worker ID for a process that does not renew it, and so how long the generator
         * goes on while the store is away; 30 s by default, 100 ms to {@link #LEASE_MAX}.
         */
        public Builder leaseTime(Duration value) {
            if (value.compareTo(LEASE_MIN) < 0 || value.compareTo(LEASE_MAX) > 0) {
                throw new IllegalArgumentException("Lease must be between 100 ms and one day: " + value);
            }
            this.leaseTime = value;
            return this;
        }

        /**
         * How long {@link #lease} waits for a store that may have forgotten the leases of its worker IDs, since it was
         * restarted, restored, emptied, failed over, or is new: by default as long as it takes, which is the longest
         * lease that the group has seen. Zero: it throws {@link WorkerIdsForgottenException} at once, which says for
         * how long.
         */
        public Builder settlingMax(Duration value) {
            if (value.isNegative()) {
                throw new IllegalArgumentException("How long to wait must not be negative: " + value);
            }
            this.settlingMax = value;
            return this;
        }

        /**
         * Says that the store is new if it does not know the group: no process holds a worker ID of it, and the first
         * start need not wait for a lease to run out. With that, processes that run are not safe from a store that was
         * <em>emptied</em>; for tests, and for the first start ever.
         */
        public Builder newStore() {
            this.newStore = true;
            return this;
        }

        /**
         * A listener for when the store had forgotten that this process holds its worker ID, and was told so again. IDs
         * go on and none is repeated; what else the store has forgotten it can't know. Called from the thread that
         * renews; also logged as a WARNING.
         */
        public Builder whenForgotten(Consumer<WorkerIdsForgottenException> value) {
            this.whenForgotten = Objects.requireNonNull(value, "whenForgotten");
            return this;
        }

        /** The clock of this process. */
        public Builder time(TimeSource value) {
            this.time = Objects.requireNonNull(value, "time");
            return this;
        }

        /** Leaves the renewals to the caller of {@link LeasedWorkerId#runOnce}. */
        Builder unscheduled() {
            this.scheduled = false;
            return this;
        }

        /**
         * Leases a worker ID. Where the store may have forgotten its leases, it waits first: see {@link #settlingMax}.
         *
         * @throws WorkerIdsExhaustedException if every one is leased
         * @throws WorkerIdsForgottenException if that takes longer, or the thread is interrupted meanwhile
         * @throws WorkerIdTakenException if the {@linkplain #wanted wanted} one is leased, or the {@linkplain
         *     #rememberIn file} is in use
         * @throws ClockMovedBackwardsException if the wanted one was used further ahead of the clock than a lease lasts
         * @throws IllegalStateException if the file to remember it in is damaged
         * @throws DefinitionConflictException if the group, or the file, has another layout
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
            Path remembering = memory;
            if (remembering != null) {
                if (wanted.isPresent()) {
                    throw new IllegalArgumentException("Choose one: a wanted worker ID, or one remembered in a file");
                }
                RememberedSlots slots = RememberedSlots.open(source, layout, remembering);
                source = slots;
                whenClosed = slots::close;
            }
            boolean leased = false;
            try {
                LeasedWorkerId worker = new LeasedWorkerId(this);
                leased = true;
                return worker;
            } finally {
                if (!leased) {
                    whenClosed.run();
                }
            }
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
