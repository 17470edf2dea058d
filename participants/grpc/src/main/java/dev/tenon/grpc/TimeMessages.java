package dev.tenon.grpc;

import com.google.protobuf.Timestamp;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;

/** Durations and times as messages of protobuf, and back, to the nanosecond. Pure functions. */
public final class TimeMessages {
    private TimeMessages() {}

    /** A duration as a message. */
    public static com.google.protobuf.Duration message(Duration duration) {
        return com.google.protobuf.Duration.newBuilder()
                .setSeconds(duration.getSeconds())
                .setNanos(duration.getNano())
                .build();
    }

    /**
     * A duration of a message.
     *
     * @throws IllegalArgumentException if it is longer than a {@link Duration} can be
     */
    public static Duration duration(com.google.protobuf.Duration message) {
        try {
            return Duration.ofSeconds(message.getSeconds(), message.getNanos());
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("A duration is too long: " + message.getSeconds() + " s", e);
        }
    }

    /** A time as a message. */
    public static Timestamp message(Instant instant) {
        return Timestamp.newBuilder()
                .setSeconds(instant.getEpochSecond())
                .setNanos(instant.getNano())
                .build();
    }

    /**
     * A time of a message.
     *
     * @throws IllegalArgumentException if it is further away than an {@link Instant} can be
     */
    public static Instant instant(Timestamp message) {
        try {
            return Instant.ofEpochSecond(message.getSeconds(), message.getNanos());
        } catch (DateTimeException | ArithmeticException e) {
            throw new IllegalArgumentException("A time is out of range: " + message.getSeconds() + " s", e);
        }
    }
}
