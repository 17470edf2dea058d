package dev.tenon.id.standard;

import dev.tenon.TimeSource;
import dev.tenon.id.RangeExhaustedException;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;

/**
 * MongoDB ObjectIds.
 *
 * <ul>
 *   <li><b>Unique</b> everywhere, by chance: 40 random bits for each generator (one in ten million among 500
 *       processes), and the counter begins at random. Within a generator, always: drivers that only wrap their counter
 *       repeat themselves at more than 16 777 216 IDs in a second; here the next second begins early.
 *   <li><b>Order:</b> by second per generator; within a second by the counter, which wraps to 0 once in 16 777 216 IDs.
 *       Between generators, by second as far as their clocks agree.
 *   <li><b>Rate limit:</b> none; at more than 16 777 216 IDs a second the time runs ahead of the clock.
 *   <li><b>Clock:</b> read for each ID. Set back, the generator stays at the second that it has reached, and counts on,
 *       until the clock is there again. Past 2106-02-07T06:28:15Z it throws {@link RangeExhaustedException}.
 *   <li><b>Store:</b> none.
 * </ul>
 *
 * <p><b>What can be guessed:</b> all of it, from one ObjectId of the same process.
 *
 * <p>Source: MongoDB's specification "BSON ObjectID". Make one generator for a process. Thread-safe, without locks.
 */
public final class ObjectIdGenerator {
    private static final long SECOND_MAX = 0xffffffffL;
    private static final int MILLIS_PER_SECOND = 1000;

    private final TimeSource time;
    private final long unique;
    private final AtomicReference<Place> last;

    private ObjectIdGenerator(TimeSource time, RandomGenerator random) {
        this.time = Objects.requireNonNull(time, "time");
        this.unique = random.nextLong() << ObjectId.COUNTER_BITS;
        this.last = new AtomicReference<>(new Place(-1, 0, random.nextInt(ObjectId.COUNTER_MASK + 1)));
    }

    /** A generator by the system's clock and a {@link SecureRandom}. */
    public static ObjectIdGenerator create() {
        return create(TimeSource.system(), new SecureRandom());
    }

    /**
     * A generator by another clock and other random numbers: a manual one and repeatable ones in a test, say.
     *
     * @param random used here only, not by {@link #nextObjectId}
     */
    public static ObjectIdGenerator create(TimeSource time, RandomGenerator random) {
        return new ObjectIdGenerator(time, random);
    }

    /**
     * The next ObjectId.
     *
     * @throws RangeExhaustedException if the clock is past 2106-02-07T06:28:15Z
     */
    public ObjectId nextObjectId() {
        while (true) {
            Place before = Objects.requireNonNull(last.get());
            Place next = before.next(Math.max(0, Math.floorDiv(time.epochMillis(), MILLIS_PER_SECOND)));
            if (next.second > SECOND_MAX) {
                throw new RangeExhaustedException("ObjectIds end at " + Instant.ofEpochSecond(SECOND_MAX)
                        + ", and the clock says " + time.now() + "; set it right");
            }
            if (last.compareAndSet(before, next)) {
                return new ObjectId((int) next.second, unique | next.counter);
            }
        }
    }

    /**
     * What was issued last.
     *
     * @param first the counter's first value in this second
     */
    private record Place(long second, int first, int counter) {
        Place next(long now) {
            int following = counter + 1 & ObjectId.COUNTER_MASK;
            if (now > second) {
                return new Place(now, following, following);
            }
            return following == first
                    ? new Place(second + 1, following, following)
                    : new Place(second, first, following);
        }
    }
}
