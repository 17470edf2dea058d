package dev.tenon.testkit.history;

import dev.tenon.lock.spi.LockMode;
import java.util.Objects;
import java.util.Set;

/**
 * One thing that happened to a lock, or to a register, at one moment between two others.
 *
 * @param process who asked for it, for people who read
 * @param change what it did
 * @param invoked when it was asked for: it did not happen before
 * @param returned when the answer was there: it had happened by then; {@link #NEVER} if no answer came
 * @param certain false: it may have happened at any time since, or never; so it is with a lost reply, and with the end
 *     of a lease that nobody gave back
 */
public record Operation(String process, Change change, long invoked, long returned, boolean certain) {
    /** After everything else. */
    public static final long NEVER = Long.MAX_VALUE;

    /** What can happen to a lock, or to a register. */
    public sealed interface Change {}

    /**
     * A hold began.
     *
     * @param token its fencing token
     * @param mode beside whom
     */
    public record Granted(long token, LockMode mode) implements Change {}

    /**
     * A hold ended: it was given back, or ran out. Nothing happens if it has ended already.
     *
     * @param token of the hold
     */
    public record Freed(long token) implements Change {}

    /** A thread went into a lock that it may have held before. */
    public record Entered() implements Change {}

    /** A thread came out of a lock, once. */
    public record Left() implements Change {}

    /**
     * Somebody looked who holds the lock.
     *
     * @param tokens those of its holders; none: it was free
     */
    public record Seen(Set<Long> tokens) implements Change {
        public Seen {
            tokens = Set.copyOf(tokens);
        }
    }

    /**
     * A register was written by one who had read it.
     *
     * @param version that it had when it was read; the write makes it the next one
     * @param value what is in it since
     */
    public record Written(long version, String value) implements Change {}

    /**
     * A write was refused: the register had been written since.
     *
     * @param version that it had when it was read
     */
    public record Refused(long version) implements Change {}

    /**
     * Somebody looked at a register.
     *
     * @param version how often it had been written
     * @param value what was in it; empty before the first write
     */
    public record Read(long version, String value) implements Change {}

    public Operation {
        Objects.requireNonNull(process, "process");
        Objects.requireNonNull(change, "change");
        if (returned < invoked) {
            throw new IllegalArgumentException("answered at " + returned + " before it was asked for at " + invoked);
        }
        if (certain == (returned == NEVER)) {
            throw new IllegalArgumentException("certain is what has an answer, and nothing else is");
        }
    }

    /** Something that was asked for and answered. */
    public static Operation answered(String process, Change change, long invoked, long returned) {
        return new Operation(process, change, invoked, returned, true);
    }

    /** Something that may have happened at any time since, or never. */
    public static Operation perhaps(String process, Change change, long since) {
        return new Operation(process, change, since, NEVER, false);
    }
}
