package dev.tenon.testkit.duplicates;

import java.util.function.LongSupplier;

/** Snowflake as blogs have it: 41 bits of milliseconds, 10 of worker, 12 of sequence, and no care for the clock. */
final class TextbookSnowflake {
    private final LongSupplier millis;
    private final long worker;
    private long last = -1;
    private long sequence;

    TextbookSnowflake(LongSupplier millis, long worker) {
        this.millis = millis;
        this.worker = worker;
    }

    Object next() {
        long now = millis.getAsLong();
        sequence = now == last ? (sequence + 1) & 0xFFF : 0;
        while (now == last && sequence == 0) {
            now = millis.getAsLong();
        }
        last = now;
        return now << 22 | worker << 12 | sequence;
    }

    /** The same, which at least refuses a clock that goes back while it runs. */
    Object nextOrRefuse() {
        if (millis.getAsLong() < last) {
            throw new IllegalStateException("Clock moved backwards");
        }
        return next();
    }
}
