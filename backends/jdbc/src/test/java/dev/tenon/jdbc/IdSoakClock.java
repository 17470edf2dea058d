package dev.tenon.jdbc;

import dev.tenon.TimeSource;
import java.time.Duration;
import java.time.Instant;

/** The clock of a machine that is wrong by as much as it is told, and is set while processes run. Thread-safe. */
final class IdSoakClock implements TimeSource {
    private final TimeSource system = TimeSource.system();
    private volatile long offsetMillis;

    IdSoakClock(Duration offset) {
        this.offsetMillis = offset.toMillis();
    }

    void set(Duration offset) {
        offsetMillis = offset.toMillis();
    }

    @Override
    public Instant now() {
        return system.now().plusMillis(offsetMillis);
    }

    @Override
    public long epochMillis() {
        return system.epochMillis() + offsetMillis;
    }

    @Override
    public long nanoTime() {
        return system.nanoTime();
    }

    @Override
    public void park(Duration atMost) {
        system.park(atMost);
    }
}
