package dev.tenon.id;

import dev.tenon.TimeSource;
import java.time.Duration;
import java.time.Instant;

/**
 * Time that stands still but for those who wait: as little code as possible, for a checker that goes through all of it.
 */
final class StillTime implements TimeSource {
    private final long startMillis;
    private volatile long nanos;

    StillTime(Instant start) {
        this.startMillis = start.toEpochMilli();
    }

    @Override
    public Instant now() {
        return Instant.ofEpochMilli(epochMillis());
    }

    @Override
    public long epochMillis() {
        return startMillis + nanos / 1_000_000;
    }

    @Override
    public long nanoTime() {
        return nanos;
    }

    @Override
    public void park(Duration atMost) {
        nanos += atMost.toNanos();
    }

    void pass(Duration by) {
        nanos += by.toNanos();
    }
}
