package dev.tenon.tx.xa;

import dev.tenon.TimeSource;
import java.time.Duration;
import java.util.Objects;

/**
 * How {@link Xa} works. Immutable.
 *
 * @param deadline how long the work of a transaction may take until {@link XaTransaction#commit} is called; after that
 *     it is rolled back
 * @param secondPhase how long the process that has decided a transaction may take to commit its branches, before
 *     recovery does
 * @param orphanAfter how long a branch may be prepared without a decision in the log, before recovery decides that it
 *     is aborted. Too short a time costs transactions of slow processes, and never consistency
 * @param pollEvery how often recovery polls for such branches
 * @param threads how many branches are prepared or committed at the same time, 1 to 10 000; beyond that, the callers'
 *     threads do it, one branch after the other
 * @param time the clocks
 */
public record XaOptions(
        Duration deadline,
        Duration secondPhase,
        Duration orphanAfter,
        Duration pollEvery,
        int threads,
        TimeSource time) {
    private static final Duration LEAST = Duration.ofMillis(1);
    private static final Duration MOST = Duration.ofDays(1);

    /** One minute of work, 15 s for the second phase, orphans after 30 s, a poll every 10 s, 64 threads. */
    public static final XaOptions DEFAULT = new XaOptions(
            Duration.ofMinutes(1),
            Duration.ofSeconds(15),
            Duration.ofSeconds(30),
            Duration.ofSeconds(10),
            64,
            TimeSource.system());

    /**
     * @throws IllegalArgumentException if a time is not 1 ms to 1 day, or {@code threads} is out of its bounds
     */
    public XaOptions {
        Objects.requireNonNull(time, "time");
        requireInBounds("deadline", deadline);
        requireInBounds("secondPhase", secondPhase);
        requireInBounds("orphanAfter", orphanAfter);
        requireInBounds("pollEvery", pollEvery);
        if (threads < 1 || threads > 10_000) {
            throw new IllegalArgumentException("threads is 1 to 10000, not " + threads);
        }
    }

    /** This with another time for the work. */
    public XaOptions withDeadline(Duration length) {
        return new XaOptions(length, secondPhase, orphanAfter, pollEvery, threads, time);
    }

    /** This with another time until recovery commits what was decided. */
    public XaOptions withSecondPhase(Duration length) {
        return new XaOptions(deadline, length, orphanAfter, pollEvery, threads, time);
    }

    /** This with another time until recovery aborts what was not decided. */
    public XaOptions withOrphanAfter(Duration age) {
        return new XaOptions(deadline, secondPhase, age, pollEvery, threads, time);
    }

    /** This, looking for branches without a decision as often as that. */
    public XaOptions withPollEvery(Duration pause) {
        return new XaOptions(deadline, secondPhase, orphanAfter, pause, threads, time);
    }

    /** This on another clock. */
    public XaOptions withTime(TimeSource source) {
        return new XaOptions(deadline, secondPhase, orphanAfter, pollEvery, threads, source);
    }

    private static void requireInBounds(String what, Duration value) {
        if (value.compareTo(LEAST) < 0 || value.compareTo(MOST) > 0) {
            throw new IllegalArgumentException(what + " is 1 ms to 1 day, not " + value);
        }
    }
}
