package dev.tenon.id;

import dev.tenon.TimeSource;
import java.time.Duration;
import java.time.Instant;

/**
 * A clock for tests of one thread that counts how often it is read and waited on; whoever parks makes the time pass.
 */
final class CountingClock implements TimeSource {
    private final JumpyClock clock;
    private long readings;
    private long parks;

    CountingClock(Instant start) {
        clock = new JumpyClock(start);
    }

    void advance(Duration by) {
        clock.advance(by);
    }

    /** Readings of the monotonic clock. */
    long readings() {
        return readings;
    }

    long parks() {
        return parks;
    }

    Duration parked() {
        return clock.parked();
    }

    @Override
    public Instant now() {
        return clock.now();
    }

    @Override
    public long epochMillis() {
        return clock.epochMillis();
    }

    @Override
    public long nanoTime() {
        readings++;
        return clock.nanoTime();
    }

    @Override
    public void park(Duration atMost) {
        parks++;
        clock.park(atMost);
    }
}
