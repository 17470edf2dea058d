package dev.tenon.tx;

import java.time.Duration;
import java.util.Objects;
import java.util.OptionalInt;

/**
 * When a call that failed is made again: after {@code first}, then {@code factor} times as long as before, up to {@code
 * cap}, each time shortened at random by up to a quarter, so that what failed together does not come back together.
 * Immutable.
 *
 * @param first pause before the second call, 1 ms to 1 day
 * @param factor how much longer each pause is than the one before, 1 to 100
 * @param cap the longest pause, {@code first} to 1 day
 * @param limit after how many calls an operator is asked; empty: never
 */
public record RetryPolicy(Duration first, double factor, Duration cap, OptionalInt limit) {
    private static final Duration LONGEST = Duration.ofDays(1);
    private static final double FACTOR_MAX = 100;

    /** One second, doubled up to five minutes, for ever. */
    public static final RetryPolicy FOR_EVER =
            new RetryPolicy(Duration.ofSeconds(1), 2, Duration.ofMinutes(5), OptionalInt.empty());

    /**
     * @throws IllegalArgumentException if a value is out of its bounds
     */
    public RetryPolicy {
        Objects.requireNonNull(first, "first");
        Objects.requireNonNull(cap, "cap");
        Objects.requireNonNull(limit, "limit");
        if (first.compareTo(Duration.ofMillis(1)) < 0 || first.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("The first pause is 1 ms to 1 day, not " + first);
        }
        if (!(factor >= 1 && factor <= FACTOR_MAX)) {
            throw new IllegalArgumentException("The factor between pauses is 1 to 100, not " + factor);
        }
        if (cap.compareTo(first) < 0 || cap.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    "The longest pause is between the first, " + first + ", and 1 day, not " + cap);
        }
        if (limit.isPresent() && limit.getAsInt() < 1) {
            throw new IllegalArgumentException("At least one call has to be allowed, not " + limit.getAsInt());
        }
    }

    /** This, but an operator is asked after {@code calls} calls. */
    public RetryPolicy upTo(int calls) {
        return new RetryPolicy(first, factor, cap, OptionalInt.of(calls));
    }

    /**
     * The pause after a call that failed.
     *
     * @param attempts how many calls were made, 1 or more
     * @param seed chooses how much the pause is shortened; the same seed always by as much
     */
    public Duration pause(int attempts, int seed) {
        double millis = Math.min(cap.toMillis(), first.toMillis() * Math.pow(factor, Math.max(0, attempts - 1)));
        double share = Math.floorMod((seed * 31 + attempts) * 0x9E3779B1, 1 << 16) / (double) (1 << 16);
        return Duration.ofMillis(Math.max(1, (long) (millis * (1 - share / 4))));
    }

    /** Whether {@code attempts} calls are all that are allowed. */
    public boolean isUsedUp(int attempts) {
        return limit.isPresent() && attempts >= limit.getAsInt();
    }

    /** As it stands in a log: {@code PT1S 2.0 PT5M 10}, the limit left out if there is none. */
    public String text() {
        return first + " " + factor + " " + cap + (limit.isPresent() ? " " + limit.getAsInt() : "");
    }

    /**
     * The policy of a {@link #text}.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static RetryPolicy of(String text) {
        String[] parts = text.split(" ", -1);
        if (parts.length != 3 && parts.length != 4) {
            throw new IllegalArgumentException("Not a retry policy: \"" + text + "\"");
        }
        OptionalInt limit = parts.length == 4 ? OptionalInt.of(Integer.parseInt(parts[3])) : OptionalInt.empty();
        return new RetryPolicy(Duration.parse(parts[0]), Double.parseDouble(parts[1]), Duration.parse(parts[2]), limit);
    }
}
