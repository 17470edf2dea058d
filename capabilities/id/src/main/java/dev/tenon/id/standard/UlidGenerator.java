package dev.tenon.id.standard;

import dev.tenon.TimeSource;
import dev.tenon.id.RangeExhaustedException;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;

/**
 * Monotonic ULIDs: 80 random bits for the first of a millisecond, one more for each that follows.
 *
 * <ul>
 *   <li><b>Unique</b> everywhere, by chance: 80 random bits for each millisecond of each generator. Within a generator,
 *       always.
 *   <li><b>Order:</b> strictly increasing per generator, across threads. Between generators, by time as far as their
 *       clocks agree.
 *   <li><b>Rate limit:</b> none but what the random bits leave: should they overflow, as they do in one millisecond of
 *       2⁶⁰ at a thousand million ULIDs a second, the call throws {@link RangeExhaustedException}, as the specification
 *       demands; the next millisecond has new ones.
 *   <li><b>Clock:</b> read for each ULID. Set back, the generator stays at the time that it has reached, and counts on,
 *       until the clock is there again. Set forward, it follows. Past the year 10889 it throws {@link
 *       RangeExhaustedException}.
 *   <li><b>Store:</b> none.
 * </ul>
 *
 * <p><b>What can be guessed:</b> when it was made, and the ULIDs before and after it in the same millisecond, since
 * they are one apart. Take {@link EpochUuidGenerator} (and {@link Ulid#fromUuid}) where neighbours must not be found.
 *
 * <p>Source: github.com/ulid/spec, "Monotonicity". Thread-safe, without locks.
 */
public final class UlidGenerator {
    private static final int LOW_HALF = 0xffff;

    private final TimeSource time;
    private final RandomGenerator random;
    private final AtomicReference<Ulid> last;

    private UlidGenerator(TimeSource time, RandomGenerator random) {
        this.time = Objects.requireNonNull(time, "time");
        this.random = Objects.requireNonNull(random, "random");
        this.last = new AtomicReference<>(first(0));
    }

    /** A generator by the system's clock and a {@link SecureRandom}. */
    public static UlidGenerator create() {
        return create(TimeSource.system(), new SecureRandom());
    }

    /**
     * A generator by another clock and other random numbers: a manual one and repeatable ones in a test, say.
     *
     * @param random thread-safe if the generator is to be
     */
    public static UlidGenerator create(TimeSource time, RandomGenerator random) {
        return new UlidGenerator(time, random);
    }

    /**
     * The next ULID.
     *
     * @throws RangeExhaustedException if the random bits of this millisecond overflow, or the clock is past the year
     *     10889; nothing was issued
     */
    public Ulid nextUlid() {
        while (true) {
            Ulid before = Objects.requireNonNull(last.get());
            Ulid next = after(before, time.epochMillis());
            if (last.compareAndSet(before, next)) {
                return next;
            }
        }
    }

    private Ulid after(Ulid before, long millis) {
        if (millis > before.millis()) {
            if (millis > Ulid.MILLIS_MAX) {
                throw new RangeExhaustedException("ULIDs end at " + Instant.ofEpochMilli(Ulid.MILLIS_MAX)
                        + ", and the clock says " + Instant.ofEpochMilli(millis) + "; set it right");
            }
            return first(millis);
        }
        long low = before.low() + 1;
        long high = low == 0 ? before.high() + 1 : before.high();
        if (low == 0 && (high & LOW_HALF) == 0) {
            throw new RangeExhaustedException(
                    "No ULID is left after " + before + " in its millisecond; try again in the next");
        }
        return new Ulid(high, low);
    }

    private Ulid first(long millis) {
        return new Ulid(millis << Ulid.HIGH_RANDOM_BITS | random.nextLong() & LOW_HALF, random.nextLong());
    }
}
