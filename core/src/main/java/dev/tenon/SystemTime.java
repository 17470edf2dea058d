package dev.tenon;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;

enum SystemTime implements TimeSource {
    INSTANCE;

    @Override
    public Instant now() {
        return Instant.now();
    }

    @Override
    public long epochMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public void park(Duration atMost) {
        LockSupport.parkNanos(this, atMost.toNanos());
    }
}
