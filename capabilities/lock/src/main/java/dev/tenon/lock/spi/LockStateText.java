package dev.tenon.lock.spi;

import dev.tenon.lock.spi.Acquire.Terms;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.OptionalLong;

/**
 * The parts that the stored texts of locks are made of: lines of fields that are separated by tabs, neither of which a
 * name can have in it; times in microseconds. Stores that keep a {@link LockState} as text arrange these as they need
 * it. Pure.
 */
public final class LockStateText {
    private LockStateText() {}

    /** Appends a line of fields. */
    public static void line(StringBuilder text, Object... fields) {
        for (int i = 0; i < fields.length; i++) {
            text.append(i == 0 ? "" : "\t").append(fields[i]);
        }
        text.append('\n');
    }

    /** The fields of a line. */
    public static String[] fields(String line) {
        return line.split("\t", -1);
    }

    /** X, S, U, or P with the permits and their maximum. */
    public static String mode(LockMode mode) {
        return switch (mode.kind()) {
            case EXCLUSIVE -> "X";
            case SHARED -> "S";
            case UPDATE -> "U";
            case PERMITS -> "P " + mode.permits() + " " + mode.max();
        };
    }

    /**
     * What {@link #mode(LockMode)} has written.
     *
     * @throws RuntimeException if it has not
     */
    public static LockMode mode(String text) {
        String[] words = text.split(" ", -1);
        return switch (words[0]) {
            case "X" -> LockMode.EXCLUSIVE;
            case "S" -> LockMode.SHARED;
            case "U" -> LockMode.UPDATE;
            default -> LockMode.permits(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
        };
    }

    /** The token that a wish converts; empty if it converts none. */
    public static String converts(Terms terms) {
        return terms.converts().isPresent() ? String.valueOf(terms.converts().getAsLong()) : "";
    }

    /**
     * The terms of a waiter. Whether it minds the order makes no difference once it has its place, and is not kept.
     *
     * @param mode as {@link #mode(LockMode)} has written it
     * @param lockDelay in microseconds
     * @param converts as {@link #converts} has written it
     * @throws RuntimeException if one of these is something else
     */
    public static Terms terms(String mode, String lockDelay, String converts) {
        return new Terms(
                mode(mode),
                true,
                duration(lockDelay),
                converts.isEmpty() ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(converts)));
    }

    /** Microseconds, rounded down. */
    public static long micros(Duration duration) {
        return duration.toSeconds() * 1_000_000 + duration.toNanosPart() / 1000;
    }

    /** Microseconds since 1970, rounded down. */
    public static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }

    /** A number of microseconds. */
    public static Duration duration(String micros) {
        return Duration.of(Long.parseLong(micros), ChronoUnit.MICROS);
    }

    /** A number of microseconds since 1970. */
    public static Instant instant(String micros) {
        return Instant.EPOCH.plus(duration(micros));
    }
}
