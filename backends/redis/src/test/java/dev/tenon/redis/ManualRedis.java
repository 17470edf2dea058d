package dev.tenon.redis;

import dev.tenon.TimeSource;
import dev.tenon.testkit.RedisAddress;
import dev.tenon.testkit.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Executors;

/** A database whose clock, as the scripts see it, moves only when a test says so. */
final class ManualRedis implements AutoCloseable {
    static final String CLOCK = "manual-clock";

    private final RedisAddress address = RedisServer.shared();
    private final RedisLink link = new RedisLink(
            RedisOptions.of(address.uri()), TimeSource.system(), Executors.newSingleThreadScheduledExecutor());
    private Instant now = Instant.EPOCH;

    RedisLink link() {
        return link;
    }

    Instant now() {
        return now;
    }

    long nowMicros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, now);
    }

    /** Forgets everything and sets the clock. */
    void reset(Instant to) {
        link.connection().sync().flushdb();
        now = to;
        advance(Duration.ZERO);
    }

    void advance(Duration by) {
        now = now.plus(by);
        link.connection().sync().set(CLOCK, String.valueOf(nowMicros()));
    }

    @Override
    public void close() {
        link.close();
    }
}
