package dev.tenon.id;

import dev.tenon.ManualClock;
import dev.tenon.TimeSource;
import java.time.Duration;
import java.time.Instant;

/** A manual clock for tests of one thread: whoever parks on it makes the time pass. */
final class JumpyClock implements TimeSource {
    private final ManualClock clock;
    private Duration parked = Duration.ZERO;

    private int parksLeft = Integer.MAX_VALUE;

    JumpyClock(Instant start) {
        clock = new ManualClock(start);
    }

    void advance(Duration by) {
        clock.advance(by);
    }

    /** Steps the wall clock alone. */
    void step(Duration by) {
        clock.setWall(clock.now().plus(by));
    }

    /** How long was waited, in all. */
    Duration parked() {
        return parked;
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
        return clock.nanoTime();
    }

    /** Ends whoever parks for the {@code parks}th time from now, as a kill would; after it parking is as ever. */
    void killAtPark(int parks) {
        parksLeft = parks;
    }

    @Override
    public void park(Duration atMost) {
        if (--parksLeft == 0) {
            parksLeft = Integer.MAX_VALUE;
            throw new IllegalStateException("killed");
        }
        parked = parked.plus(atMost);
        clock.advance(atMost);
    }
}
