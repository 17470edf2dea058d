package dev.tenon.tx.message;

import dev.tenon.Names;
import dev.tenon.TimeSource;
import dev.tenon.tx.RetryPolicy;
import java.time.Duration;
import java.util.Objects;

/**
 * How an {@link Outbox} works. Immutable.
 *
 * @param name of the outbox: processes send the messages of the outboxes of their name; a name ({@link Names})
 * @param claim for how long a message is one process's to send, 1 s to 1 hour; if that dies, another one sends it after
 *     this
 * @param pollEvery how often it polls for messages without a hint, 10 ms to 1 hour
 * @param batch how many messages are on their way from one process at most, 1 to 100
 * @param threads how many are sent at the same time, 1 to 100
 * @param retry when a message that could not be sent is tried again; used up, it is a dead letter
 * @param retention for how long a message is kept after it was sent; zero: it is deleted at once
 * @param time the clocks
 * @param stuckAttempts after how many attempts without success a message is reported as stuck, 1 or more
 * @param stuckAfter how long after its first failure it is, however often it was tried; not negative
 */
public record OutboxOptions(
        String name,
        Duration claim,
        Duration pollEvery,
        int batch,
        int threads,
        RetryPolicy retry,
        Duration retention,
        TimeSource time,
        int stuckAttempts,
        Duration stuckAfter) {
    private static final int RETRIES = 100;
    private static final int STUCK_ATTEMPTS = 10;
    private static final Duration STUCK_AFTER = Duration.ofMinutes(5);

    /**
     * The outbox {@code outbox}; claims of 30 s, a poll every second, 100 messages at a time by 16 threads, a hundred
     * attempts (about eight hours), nothing kept of what was sent; stuck after ten attempts or five minutes.
     */
    public static final OutboxOptions DEFAULT = new OutboxOptions(
            "outbox",
            Duration.ofSeconds(30),
            Duration.ofSeconds(1),
            100,
            16,
            RetryPolicy.FOR_EVER.upTo(RETRIES),
            Duration.ZERO,
            TimeSource.system());

    /**
     * @throws IllegalArgumentException if a value is out of its bounds
     */
    public OutboxOptions {
        Names.requireValid("outbox name", name);
        requireBetween("claim", claim, Duration.ofSeconds(1), Duration.ofHours(1));
        requireBetween("pollEvery", pollEvery, Duration.ofMillis(10), Duration.ofHours(1));
        requireBetween("retention", retention, Duration.ZERO, Duration.ofDays(36_500));
        if (batch < 1 || batch > 100) {
            throw new IllegalArgumentException("batch is 1 to 100, not " + batch);
        }
        if (threads < 1 || threads > 100) {
            throw new IllegalArgumentException("threads is 1 to 100, not " + threads);
        }
        Objects.requireNonNull(retry, "retry");
        Objects.requireNonNull(time, "time");
        requireBetween("stuckAfter", stuckAfter, Duration.ZERO, Duration.ofDays(36_500));
        if (stuckAttempts < 1) {
            throw new IllegalArgumentException("stuckAttempts is 1 or more, not " + stuckAttempts);
        }
    }

    /** As the other, with what {@link #DEFAULT} calls stuck. */
    public OutboxOptions(
            String name,
            Duration claim,
            Duration pollEvery,
            int batch,
            int threads,
            RetryPolicy retry,
            Duration retention,
            TimeSource time) {
        this(name, claim, pollEvery, batch, threads, retry, retention, time, STUCK_ATTEMPTS, STUCK_AFTER);
    }

    /** This under another name. */
    public OutboxOptions withName(String other) {
        return new OutboxOptions(
                other, claim, pollEvery, batch, threads, retry, retention, time, stuckAttempts, stuckAfter);
    }

    /** This with claims of another length. */
    public OutboxOptions withClaim(Duration length) {
        return new OutboxOptions(
                name, length, pollEvery, batch, threads, retry, retention, time, stuckAttempts, stuckAfter);
    }

    /** This, looking for messages as often as that. */
    public OutboxOptions withPollEvery(Duration pause) {
        return new OutboxOptions(name, claim, pause, batch, threads, retry, retention, time, stuckAttempts, stuckAfter);
    }

    /** This with another number of messages at a time, and of threads. */
    public OutboxOptions withBatch(int messages, int senders) {
        return new OutboxOptions(
                name, claim, pollEvery, messages, senders, retry, retention, time, stuckAttempts, stuckAfter);
    }

    /** This with other retries. */
    public OutboxOptions withRetry(RetryPolicy policy) {
        return new OutboxOptions(
                name, claim, pollEvery, batch, threads, policy, retention, time, stuckAttempts, stuckAfter);
    }

    /** This, keeping what was sent for as long as that. */
    public OutboxOptions withRetention(Duration length) {
        return new OutboxOptions(
                name, claim, pollEvery, batch, threads, retry, length, time, stuckAttempts, stuckAfter);
    }

    /** This on another clock. */
    public OutboxOptions withTime(TimeSource source) {
        return new OutboxOptions(
                name, claim, pollEvery, batch, threads, retry, retention, source, stuckAttempts, stuckAfter);
    }

    /** This, reporting a message as stuck after so many attempts, or for so long. */
    public OutboxOptions withStuck(int attempts, Duration after) {
        return new OutboxOptions(name, claim, pollEvery, batch, threads, retry, retention, time, attempts, after);
    }

    private static void requireBetween(String what, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(what + " is " + least + " to " + most + ", not " + value);
        }
    }
}
