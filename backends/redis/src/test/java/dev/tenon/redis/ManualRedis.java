package dev.tenon.redis;

import dev.tenon.TimeSource;
import dev.tenon.testkit.RedisAddress;
import dev.tenon.testkit.RedisServer;
import io.lettuce.core.api.async.RedisAsyncCommands;
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
        RedisLink.await(link.ask(CLOCK, RedisAsyncCommands::flushdb));
        now = to;
        advance(Duration.ZERO);
    }

    void advance(Duration by) {
        now = now.plus(by);
        RedisLink.await(link.ask(CLOCK, commands -> commands.set(CLOCK, String.valueOf(nowMicros()))));
    }

    @Override
    public void close() {
        link.close();
    }
}
