package dev.tenon.id;

import dev.tenon.BackendUnavailableException;
import dev.tenon.DaemonThreads;
import dev.tenon.Names;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TimeSource;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.id.spi.RangeStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Numbers of N stores that know nothing of each other, and some of which may be away: the first one gives 1, 1 + N, 1 +
 * 2N, …, the second 2, 2 + N, …. This is MySQL's {@code auto_increment_increment} and {@code auto_increment_offset},
 * and the five Redis with start 1 to 5 and step 5.
 *
 * <ul>
 *   <li><b>Unique</b> among all generators of one name with the same stores in the same order. The number of stores
 *       can't be changed under a name.
 *   <li><b>Order:</b> strictly increasing by member, in each generator. Over members roughly: each call takes the least
 *       number at hand, and a member that has fallen behind the others is first raised to them. Between generators, as
 *       {@link SegmentGenerator}.
 *   <li><b>Rate limit:</b> none of its own; callers wait when no member can follow.
 *   <li><b>Store:</b> each is asked in the background, at most once at a time, with pauses of up to a second when it
 *       fails. As long as one member answers, IDs go on. When none has a number, a call waits up to {@link
 *       SegmentPolicy#waitMax} and throws what a store threw. A member that went back is left out until it was raised:
 *       {@link #regression} tells so. A member whose sequence has another start or step is refused: when this is built,
 *       or left out if it could only be reached later ({@link #members}).
 *   <li><b>Clock:</b> no influence on the numbers.
 * </ul>
 *
 * <p>Thread-safe.
 */
public final class InterleavedGenerator implements IdGenerator, AutoCloseable {
    private static final Duration DOOR_WAIT = Duration.ofSeconds(5);
    private static final int MEMBERS_MAX = 1024;

    private final String name;
    private final SegmentPolicy policy;
    private final SegmentSignal signal = new SegmentSignal();
    private final List<InterleavedMember> members = new ArrayList<>();
    private final List<SegmentBuffer> buffers = new ArrayList<>();
    private volatile boolean closed;

    /**
     * How a member is.
     *
     * @param start its first number, 1 to the number of members
     * @param atHand how many of its numbers are at hand
     * @param highestSeen the greatest number that came from it: how far {@link RangeStore#raiseTo} must raise it if it
     *     went back, as far as this generator knows
     * @param failure why the last attempt to fetch from it failed
     */
    public record Member(long start, long atHand, OptionalLong highestSeen, Optional<RuntimeException> failure) {}

    private InterleavedGenerator(Builder options) {
        this.name = options.name;
        this.policy = options.policy;
        int count = options.stores.size();
        for (int i = 0; i < count; i++) {
            int self = i;
            InterleavedMember member = new InterleavedMember(
                    options.stores.get(i),
                    name,
                    new RangeDefinition(i + 1L, count, Long.MAX_VALUE),
                    () -> levelOfOthers(self));
            members.add(member);
            buffers.add(new SegmentBuffer(member, policy, TimeSource.system(), null, signal));
        }
    }

    /** Begins a generator of the sequence {@code name} of several stores. */
    public static Builder builder(String name) {
        return new Builder(name);
    }

    /**
     * The least number at hand.
     *
     * @throws RangeExhaustedException if every member has reached its max
     * @throws SequenceRegressedException if every member is left out, and the first of them because it went back
     * @throws DefinitionConflictException if every member is left out, and the first of them for its definition
     * @throws BackendUnavailableException if none came within the time to wait, or the thread was interrupted
     * @throws OutcomeUnknownException if none came, and the last reply was lost
     * @throws IllegalStateException if this is closed
     */
    @Override
    public long nextId() {
        while (true) {
            SegmentBuffer least = least();
            if (least == null) {
                awaitAny();
                continue;
            }
            long id = least.tryNext();
            if (id != SegmentBuffer.NONE) {
                return id;
            }
        }
    }

    /** How many numbers are at hand. */
    public long left() {
        return buffers.stream().mapToLong(SegmentBuffer::left).sum();
    }

    /** How many numbers were taken from the stores and will never be issued. */
    public long wasted() {
        return buffers.stream().mapToLong(SegmentBuffer::wasted).sum();
    }

    /** How each member is, in their order. */
    public List<Member> members() {
        List<Member> all = new ArrayList<>();
        for (int i = 0; i < members.size(); i++) {
            SegmentBuffer buffer = buffers.get(i);
            all.add(new Member(
                    i + 1L, buffer.left(), members.get(i).highestSeen(), Optional.ofNullable(buffer.failure())));
        }
        return List.copyOf(all);
    }

    /** Says that a member went back, as {@link SegmentGenerator#regression} does; of several, the first. */
    public Optional<SequenceRegressedException> regression() {
        return members.stream().flatMap(member -> member.regression().stream()).findFirst();
    }

    /** Ends this: what is at hand is wasted, and calls throw {@link IllegalStateException}. Idempotent. */
    @Override
    public void close() {
        closed = true;
        buffers.forEach(SegmentBuffer::close);
    }

    /** The member with the least number at hand; those without one are told. */
    private @Nullable SegmentBuffer least() {
        SegmentBuffer best = null;
        long least = Long.MAX_VALUE;
        for (SegmentBuffer buffer : buffers) {
            long head = buffer.head();
            if (head == SegmentBuffer.NONE) {
                buffer.want();
            } else if (best == null || head < least) {
                best = buffer;
                least = head;
            }
        }
        return best;
    }

    private long levelOfOthers(int self) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < buffers.size(); i++) {
            long head = i == self ? SegmentBuffer.NONE : buffers.get(i).head();
            least = head == SegmentBuffer.NONE ? least : Math.min(least, head);
        }
        return least == Long.MAX_VALUE ? SegmentBuffer.NONE : least;
    }

    private void awaitAny() {
        signal.lock.lock();
        try {
            long left = policy.waitMax().toNanos();
            while (least() == null) {
                if (closed) {
                    throw new IllegalStateException("The generator of \"" + name + "\" is closed");
                }
                requireHope(left);
                left = signal.changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BackendUnavailableException("Interrupted while waiting for numbers of \"" + name + "\"", e);
        } finally {
            signal.lock.unlock();
        }
    }

    /** Throws when the time is up, or when waiting can help with no member. */
    private void requireHope(long nanosLeft) {
        RuntimeException first = null;
        boolean hope = false;
        for (SegmentBuffer buffer : buffers) {
            RuntimeException failure = buffer.failure();
            hope |= failure == null || SegmentBuffer.passing(failure);
            if (first == null || SegmentBuffer.passing(first)) {
                first = failure == null ? first : failure;
            }
        }
        if (hope && nanosLeft > 0) {
            return;
        }
        throw first != null
                ? first
                : new BackendUnavailableException("None of the " + buffers.size() + " stores gave numbers of \"" + name
                        + "\" within " + policy.waitMax());
    }

    /** Options of an interleaved generator. Not thread-safe. */
    public static final class Builder {
        private final String name;
        private final List<Supplier<? extends RangeStore>> stores = new ArrayList<>();
        private SegmentPolicy policy = SegmentPolicy.DEFAULT;

        private Builder(String name) {
            this.name = Names.requireValid("sequence name", name);
        }

        /** Adds a store; the first added has start 1, the second start 2. */
        public Builder member(RangeStore store) {
            Objects.requireNonNull(store, "store");
            return member(() -> store);
        }

        /**
         * Adds a store that is opened when it is first needed, and again after a pause if that fails: for one that may
         * be away when this process starts. What was opened is the caller's to close.
         */
        public Builder member(Supplier<? extends RangeStore> opening) {
            stores.add(Objects.requireNonNull(opening, "opening"));
            return this;
        }

        /** How numbers are bought from each store; {@link SegmentPolicy#DEFAULT} unless said so. */
        public Builder policy(SegmentPolicy value) {
            this.policy = Objects.requireNonNull(value, "value");
            return this;
        }

        /**
         * Opens every store and defines the sequence there, waiting up to five seconds; those that are away are opened
         * later.
         *
         * @throws DefinitionConflictException if a store has the sequence with another start or step
         * @throws IllegalArgumentException if there are no stores, or too many
         */
        public InterleavedGenerator build() {
            if (stores.isEmpty() || stores.size() > MEMBERS_MAX) {
                throw new IllegalArgumentException("Between 1 and " + MEMBERS_MAX + " stores, not " + stores.size());
            }
            InterleavedGenerator generator = new InterleavedGenerator(this);
            openAll(generator.members);
            generator.buffers.forEach(buffer -> buffer.start(SegmentFetchers.shared()));
            return generator;
        }

        private void openAll(List<InterleavedMember> members) {
            ExecutorService openers =
                    Executors.newFixedThreadPool(members.size(), DaemonThreads.named("tenon-interleaved-" + name));
            TimeSource time = TimeSource.system();
            try {
                List<Future<?>> openings = new ArrayList<>();
                members.forEach(member -> openings.add(openers.submit(member::open)));
                long end = time.nanoTime() + DOOR_WAIT.toNanos();
                for (Future<?> opening : openings) {
                    requireGoodOrAway(opening, end - time.nanoTime());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new BackendUnavailableException("Interrupted while opening the stores of \"" + name + "\"", e);
            } finally {
                // A late one ends by itself: an interrupt in the middle of something has H2 close its file.
                openers.shutdown();
            }
        }

        private static void requireGoodOrAway(Future<?> opening, long nanosLeft) throws InterruptedException {
            try {
                opening.get(nanosLeft, TimeUnit.NANOSECONDS);
            } catch (TimeoutException e) {
                // Its numbers come later.
            } catch (ExecutionException e) {
                Throwable cause = e.getCause();
                boolean away = cause instanceof BackendUnavailableException || cause instanceof OutcomeUnknownException;
                if (!away && cause instanceof RuntimeException failure) {
                    throw failure;
                } else if (!away) {
                    throw new IllegalStateException("A store could not be opened", cause);
                }
            }
        }
    }
}
