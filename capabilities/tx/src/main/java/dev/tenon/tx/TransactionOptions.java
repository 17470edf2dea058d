package dev.tenon.tx;

import dev.tenon.TimeSource;
import java.time.Duration;
import java.util.Objects;

/**
 * How {@link Transactions} works. Immutable.
 *
 * @param service whose transactions it drives, so that services that share a log leave each other's alone; to be
 *     given, at most 200 characters
 * @param claim for how long a claim lasts: a transaction whose process dies is taken over after that; 1 s to 1 hour
 * @param callTimeout how long a participant may take; less than the claim
 * @param pollEvery how often recovery polls for what is due, 10 ms to 1 hour
 * @param batch how many transactions recovery claims at a time, 1 to 1000
 * @param threads how many calls to participants are made at the same time, 1 to 10000; a quarter of them at most to one
 *     participant, so that one that is slow holds up no others
 * @param retention how long the log remembers what has ended
 * @param stuckAfter when one that does not get on is reported as stuck
 * @param time the clocks
 */
public record TransactionOptions(
        String service,
        Duration claim,
        Duration callTimeout,
        Duration pollEvery,
        int batch,
        int threads,
        Duration retention,
        StuckAfter stuckAfter,
        TimeSource time) {
    /**
     * To be given a name by {@link #withService}; claims of 15 s, calls of 10 s, a poll every second, 100 at a time, 64
     * calls at once, kept for 7 days, reported as stuck after ten calls or five minutes.
     */
    public static final TransactionOptions DEFAULT = new TransactionOptions(
            "",
            Duration.ofSeconds(15),
            Duration.ofSeconds(10),
            Duration.ofSeconds(1),
            100,
            64,
            Duration.ofDays(7),
            StuckAfter.DEFAULT,
            TimeSource.system());

    /**
     * @throws IllegalArgumentException if a value is out of its bounds
     */
    public TransactionOptions {
        Objects.requireNonNull(service, "service");
        Objects.requireNonNull(stuckAfter, "stuckAfter");
        Objects.requireNonNull(time, "time");
        requireBetween("claim", claim, Duration.ofSeconds(1), Duration.ofHours(1));
        requireBetween("callTimeout", callTimeout, Duration.ofMillis(1), claim.minusMillis(1));
        requireBetween("pollEvery", pollEvery, Duration.ofMillis(10), Duration.ofHours(1));
        requireBetween("retention", retention, Duration.ZERO, Duration.ofDays(36_500));
        if (batch < 1 || batch > 1000) {
            throw new IllegalArgumentException("batch is 1 to 1000, not " + batch);
        }
        if (threads < 1 || threads > 10_000) {
            throw new IllegalArgumentException("threads is 1 to 10000, not " + threads);
        }
    }

    /** This for the transactions of a service. */
    public TransactionOptions withService(String name) {
        return new TransactionOptions(name, claim, callTimeout, pollEvery, batch, threads, retention, stuckAfter, time);
    }

    /** This with claims of another length, and calls of a third of it at most. */
    public TransactionOptions withClaim(Duration length) {
        Duration third = length.dividedBy(3);
        Duration call = callTimeout.compareTo(third) < 0 ? callTimeout : third;
        return new TransactionOptions(service, length, call, pollEvery, batch, threads, retention, stuckAfter, time);
    }

    /** This with another time for calls. */
    public TransactionOptions withCallTimeout(Duration timeout) {
        return new TransactionOptions(service, claim, timeout, pollEvery, batch, threads, retention, stuckAfter, time);
    }

    /** This, looking for what is due as often as that. */
    public TransactionOptions withPollEvery(Duration pause) {
        return new TransactionOptions(service, claim, callTimeout, pause, batch, threads, retention, stuckAfter, time);
    }

    /** This, remembering what has ended for as long as that. */
    public TransactionOptions withRetention(Duration length) {
        return new TransactionOptions(service, claim, callTimeout, pollEvery, batch, threads, length, stuckAfter, time);
    }

    /** This, with transactions reported as stuck at another point. */
    public TransactionOptions withStuckAfter(StuckAfter limit) {
        return new TransactionOptions(service, claim, callTimeout, pollEvery, batch, threads, retention, limit, time);
    }

    /** This on another clock. */
    public TransactionOptions withTime(TimeSource source) {
        return new TransactionOptions(
                service, claim, callTimeout, pollEvery, batch, threads, retention, stuckAfter, source);
    }

    private static void requireBetween(String what, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(what + " is " + least + " to " + most + ", not " + value);
        }
    }
}
