package dev.tenon.server.grpc;

import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import java.time.DateTimeException;
import java.time.Instant;

/** Times as messages. */
final class Wire {
    private Wire() {}

    static Duration message(java.time.Duration duration) {
        return Duration.newBuilder()
                .setSeconds(duration.getSeconds())
                .setNanos(duration.getNano())
                .build();
    }

    static java.time.Duration duration(Duration message) {
        return java.time.Duration.ofSeconds(message.getSeconds(), message.getNanos());
    }

    static Timestamp message(Instant instant) {
        return Timestamp.newBuilder()
                .setSeconds(instant.getEpochSecond())
                .setNanos(instant.getNano())
                .build();
    }

    static Instant instant(Timestamp message) {
        try {
            return Instant.ofEpochSecond(message.getSeconds(), message.getNanos());
        } catch (DateTimeException | ArithmeticException e) {
            throw new IllegalArgumentException("A time is out of range: " + message.getSeconds() + " s", e);
        }
    }
}
