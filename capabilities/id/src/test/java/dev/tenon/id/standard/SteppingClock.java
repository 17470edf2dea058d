package dev.tenon.id.standard;

import dev.tenon.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/** A wall clock that a test moves either way, from any thread; whoever parks on it makes the time pass. */
final class SteppingClock implements TimeSource {
    private final AtomicLong millis;
    private final AtomicLong parks = new AtomicLong();

    SteppingClock(long millis) {
        this.millis = new AtomicLong(millis);
    }

    void step(long byMillis) {
        millis.addAndGet(byMillis);
    }

    /** How often somebody waited. */
    long parks() {
        return parks.get();
    }

    @Override
    public Instant now() {
        return Instant.ofEpochMilli(epochMillis());
    }

    @Override
    public long epochMillis() {
        return millis.get();
    }

    @Override
    public long nanoTime() {
        throw new AssertionError("Only the wall clock counts here");
    }

    @Override
    public void park(Duration atMost) {
        parks.incrementAndGet();
        millis.addAndGet(Math.max(1, atMost.toMillis()));
    }
}
