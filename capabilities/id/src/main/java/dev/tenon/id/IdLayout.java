package dev.tenon.id;

import dev.tenon.id.spi.WorkerClaim;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/**
 * How the bits of an ID are shared between time, worker and sequence, what the unit of time is and when it begins. The
 * time is always at the top, so that IDs ascend with time; the worker field is above the sequence, or below it
 * (sonyflake). Immutable.
 *
 * <p>Sources: Snowflake as Twitter published it; github.com/sony/sonyflake; github.com/baidu/uid-generator.
 */
public final class IdLayout {
    private static final int BITS_MAX = 63;
    private static final int WORKER_BITS_MAX = Integer.numberOfTrailingZeros(WorkerClaim.CAPACITY_MAX);
    private static final int SEQUENCE_BITS_MAX = 31;
    private static final Duration UNIT_MAX = Duration.ofHours(1);
    private static final double MILLIS_PER_SECOND = 1000;

    private final long unitMillis;
    private final int timeBits;
    private final int workerBits;
    private final int datacenterBits;
    private final int sequenceBits;
    private final long epochMillis;
    private final boolean workerLast;
    private final long expiryMillis;

    private IdLayout(Builder builder) {
        this.unitMillis = builder.unit.toMillis();
        this.timeBits = builder.timeBits;
        this.workerBits = builder.workerBits;
        this.datacenterBits = builder.datacenterBits;
        this.sequenceBits = builder.sequenceBits;
        this.epochMillis = builder.epoch.toEpochMilli();
        this.workerLast = builder.workerLast;
        this.expiryMillis = builder.expiryMillis();
    }

    /**
     * Twitter's: 41 bits of milliseconds since 2010-11-04, 5 of datacenter, 5 of worker, 12 of sequence; until 2080.
     */
    public static IdLayout twitter() {
        return builder().datacenterBits(5).build();
    }

    /**
     * Sonyflake's: 39 bits of 10 ms since 2014-09-01, 8 of sequence, 16 of machine, in this order; until 2188. The
     * lowest bits are the machine's, so that {@code id % n} is the same for all IDs of a machine for n up to 65536.
     */
    public static IdLayout sonyflake() {
        return builder()
                .unit(Duration.ofMillis(10))
                .timeBits(39)
                .workerBits(16)
                .sequenceBits(8)
                .workerLast()
                .epoch(Instant.parse("2014-09-01T00:00:00Z"))
                .build();
    }

    /**
     * Baidu's: 28 bits of seconds, 22 of worker, 13 of sequence; 8.5 years from 2025-01-01, until July 2033. The epoch
     * that its authors chose (2016-05-20 in China) ran out in November 2024; decode such IDs with {@link #withEpoch}.
     */
    public static IdLayout baidu() {
        return builder()
                .unit(Duration.ofSeconds(1))
                .timeBits(28)
                .workerBits(22)
                .sequenceBits(13)
                .epoch(Instant.parse("2025-01-01T00:00:00Z"))
                .build();
    }

    /**
     * 53 bits, which a JavaScript number holds exactly: 41 of milliseconds since 2025-01-01, 5 of worker, 7 of
     * sequence; 32 workers of 128 000 IDs a second each, until 2094.
     */
    public static IdLayout jsSafe() {
        return builder()
                .workerBits(5)
                .sequenceBits(7)
                .epoch(Instant.parse("2025-01-01T00:00:00Z"))
                .build();
    }

    /** Begins a layout of one's own, at {@link #twitter()}'s values but without its datacenter. */
    public static Builder builder() {
        return new Builder();
    }

    /** The same layout counting from another moment. */
    public IdLayout withEpoch(Instant epoch) {
        Builder copy = builder()
                .unit(unit())
                .timeBits(timeBits)
                .workerBits(workerBits)
                .datacenterBits(datacenterBits)
                .sequenceBits(sequenceBits)
                .epoch(epoch);
        copy.workerLast = workerLast;
        return copy.build();
    }

    /** The unit of time, a whole number of milliseconds. */
    public Duration unit() {
        return Duration.ofMillis(unitMillis);
    }

    /** The width of the time field. */
    public int timeBits() {
        return timeBits;
    }

    /** The width of the worker field, its datacenter part included. */
    public int workerBits() {
        return workerBits;
    }

    /** The width of the upper part of the worker field that names a datacenter; 0 if there is none. */
    public int datacenterBits() {
        return datacenterBits;
    }

    /** The width of the sequence field. */
    public int sequenceBits() {
        return sequenceBits;
    }

    /** Time 0. */
    public Instant epoch() {
        return Instant.ofEpochMilli(epochMillis);
    }

    /** The first moment that the time field can't hold. From then on, generators refuse. */
    public Instant expiry() {
        return Instant.ofEpochMilli(expiryMillis);
    }

    /** How long it is until {@link #expiry}; negative after that. */
    public Duration lifetimeLeft(Instant now) {
        return Duration.between(now, expiry());
    }

    /** Whether the layout expires in less than {@code ahead}, or has expired. */
    public boolean expiresWithin(Duration ahead, Instant now) {
        return lifetimeLeft(now).compareTo(ahead) < 0;
    }

    /** When the layout expires, and what it offers until then, as one line for people. */
    public String expiryReport(Instant now) {
        long days = lifetimeLeft(now).toDays();
        String when = expiresWithin(Duration.ZERO, now) ? "expired, " + -days + " days ago" : "in " + days + " days";
        return "IDs of this layout end at " + expiry() + " (" + when + "); until then " + workers() + " workers of "
                + Math.round(idsPerSecond()) + " IDs a second each (" + text() + ")";
    }

    /** How many generators may run at a time. */
    public int workers() {
        return 1 << workerBits;
    }

    /** The most IDs that one worker can give in a second, on average. */
    public double idsPerSecond() {
        return (1L << sequenceBits) * MILLIS_PER_SECOND / unitMillis;
    }

    /** The greatest ID that the layout has. */
    public long maxId() {
        return mask(timeBits + workerBits + sequenceBits);
    }

    /** The worker ID of a datacenter and a worker in it. */
    public int workerId(int datacenter, int worker) {
        int low = workerBits - datacenterBits;
        if (datacenter < 0 || datacenter >> datacenterBits != 0 || worker < 0 || worker >> low != 0) {
            throw new IllegalArgumentException("Datacenter must be less than " + (1 << datacenterBits)
                    + " and worker less than " + (1 << low) + ", and neither negative: " + datacenter + ", " + worker);
        }
        return datacenter << low | worker;
    }

    /**
     * Takes an ID apart.
     *
     * @throws IllegalArgumentException if it is negative or has more bits than the layout
     */
    public IdParts decode(long id) {
        if (id < 0 || id > maxId()) {
            throw new IllegalArgumentException("Not an ID of this layout, whose IDs are 0 to " + maxId() + ": " + id);
        }
        long worker = (workerLast ? id : id >>> sequenceBits) & mask(workerBits);
        long sequence = (workerLast ? id >>> workerBits : id) & mask(sequenceBits);
        int low = workerBits - datacenterBits;
        return new IdParts(
                Instant.ofEpochMilli(millisOf(id >>> workerBits + sequenceBits)),
                (int) worker,
                (int) (worker >>> low),
                (int) (worker & mask(low)),
                sequence);
    }

    /**
     * The least ID of the time unit in which a moment lies: every ID issued at or after that moment is at least as
     * great, so that {@code id >= firstIdAt(from) AND id < firstIdAt(to)} selects a stretch of time. Generators may
     * have issued up to their borrowed time ahead of their clock.
     *
     * @return 0 for a moment before the epoch
     * @throws IllegalArgumentException if the layout has expired by then
     */
    public long firstIdAt(Instant moment) {
        if (!moment.isBefore(expiry())) {
            throw new IllegalArgumentException("The layout ends at " + expiry() + ": " + moment);
        }
        return moment.isBefore(epoch()) ? 0 : tickOf(moment.toEpochMilli()) << workerBits + sequenceBits;
    }

    /** The layout as one line that is the same for equal layouts only: what a worker group is stored with. */
    public String text() {
        String worker = datacenterBits == 0
                ? "worker " + workerBits
                : "datacenter " + datacenterBits + ", worker " + (workerBits - datacenterBits);
        String sequence = "sequence " + sequenceBits;
        return "unit " + unit() + ", time " + timeBits + ", "
                + (workerLast ? sequence + ", " + worker : worker + ", " + sequence) + ", epoch " + epoch();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof IdLayout layout && text().equals(layout.text());
    }

    @Override
    public int hashCode() {
        return text().hashCode();
    }

    @Override
    public String toString() {
        return text();
    }

    // A position is the time in units, with the sequence below it: what a generator counts, whatever its worker ID.

    long tickOf(long millis) {
        return Math.floorDiv(millis - epochMillis, unitMillis);
    }

    long millisOf(long tick) {
        return epochMillis + tick * unitMillis;
    }

    long unitMillis() {
        return unitMillis;
    }

    long epochMillis() {
        return epochMillis;
    }

    long lastPositionOf(long tick) {
        return tick << sequenceBits | mask(sequenceBits);
    }

    long maxTick() {
        return mask(timeBits);
    }

    boolean workerIsLast() {
        return workerLast;
    }

    static long mask(int bits) {
        return (1L << bits) - 1;
    }

    /** Collects the fields of a layout. Not thread-safe. */
    public static final class Builder {
        private static final Instant TWITTER_EPOCH = Instant.ofEpochMilli(1288834974657L);

        private Duration unit = Duration.ofMillis(1);
        private int timeBits = 41;
        private int workerBits = 10;
        private int datacenterBits;
        private int sequenceBits = 12;
        private Instant epoch = TWITTER_EPOCH;
        private boolean workerLast;

        private Builder() {}

        /** The unit of time: a whole number of milliseconds, 1 ms to 1 hour. */
        public Builder unit(Duration value) {
            this.unit = value;
            return this;
        }

        /** The width of the time field, 1 or more. */
        public Builder timeBits(int value) {
            this.timeBits = value;
            return this;
        }

        /** The width of the worker field, 0 to 22. */
        public Builder workerBits(int value) {
            this.workerBits = value;
            return this;
        }

        /** How many of the worker field's bits, from the top, name a datacenter. */
        public Builder datacenterBits(int value) {
            this.datacenterBits = value;
            return this;
        }

        /** The width of the sequence field, 0 to 31. */
        public Builder sequenceBits(int value) {
            this.sequenceBits = value;
            return this;
        }

        /** Time 0: a whole number of milliseconds, 1970-01-01 or later. */
        public Builder epoch(Instant value) {
            this.epoch = value;
            return this;
        }

        /** Puts the worker field below the sequence. */
        public Builder workerLast() {
            this.workerLast = true;
            return this;
        }

        /**
         * The layout.
         *
         * @throws IllegalArgumentException if it has more than 63 bits, or a field is out of its bounds
         */
        public IdLayout build() {
            Objects.requireNonNull(unit, "unit");
            Objects.requireNonNull(epoch, "epoch");
            require(
                    unit.compareTo(UNIT_MAX) <= 0 && unit.toMillis() >= 1 && unit.getNano() % 1_000_000 == 0,
                    "Unit must be a whole number of milliseconds, 1 ms to 1 hour: " + unit);
            require(timeBits >= 1 && timeBits <= BITS_MAX, "Time needs 1 bit or more: " + timeBits);
            require(
                    workerBits >= 0 && workerBits <= WORKER_BITS_MAX,
                    "Worker must have 0 to " + WORKER_BITS_MAX + " bits: " + workerBits);
            require(
                    sequenceBits >= 0 && sequenceBits <= SEQUENCE_BITS_MAX,
                    "Sequence must have 0 to " + SEQUENCE_BITS_MAX + " bits: " + sequenceBits);
            require(
                    datacenterBits >= 0 && datacenterBits <= workerBits,
                    "Datacenter is a part of the worker's " + workerBits + " bits: " + datacenterBits);
            int bits = timeBits + workerBits + sequenceBits;
            require(bits <= BITS_MAX, "An ID has at most " + BITS_MAX + " bits, not " + bits);
            require(
                    epoch.getNano() % 1_000_000 == 0 && !epoch.isBefore(Instant.EPOCH),
                    "Epoch must be in whole milliseconds, 1970-01-01 or later: " + epoch);
            return new IdLayout(this);
        }

        private long expiryMillis() {
            try {
                long ticks = Math.addExact(mask(timeBits), 1);
                return Math.addExact(epoch.toEpochMilli(), Math.multiplyExact(ticks, unit.toMillis()));
            } catch (ArithmeticException e) {
                throw new IllegalArgumentException("Time of " + timeBits + " bits of " + unit + " does not end", e);
            }
        }

        private static void require(boolean condition, String message) {
            if (!condition) {
                throw new IllegalArgumentException(message);
            }
        }
    }
}
