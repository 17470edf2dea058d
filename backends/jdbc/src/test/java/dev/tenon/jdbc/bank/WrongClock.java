package dev.tenon.jdbc.bank;

import dev.tenon.TimeSource;
import java.time.Duration;
import java.time.Instant;

/** A clock that is ahead, or behind. */
record WrongClock(Duration ahead) implements TimeSource {
    @Override
    public Instant now() {
        return TimeSource.system().now().plus(ahead);
    }

    @Override
    public long epochMillis() {
        return TimeSource.system().epochMillis() + ahead.toMillis();
    }

    @Override
    public long nanoTime() {
        return TimeSource.system().nanoTime();
    }

    @Override
    public void park(Duration atMost) {
        TimeSource.system().park(atMost);
    }
}
