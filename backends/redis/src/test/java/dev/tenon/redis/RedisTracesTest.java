package dev.tenon.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.ManualClock;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Release;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RedisTracesTest {
    private static final Duration LEASE = Duration.ofSeconds(5);
    private static final Duration LATE = Duration.ofSeconds(3);
    private static final Release LOCK = new Release("lock", 7);

    private final ManualClock time = new ManualClock(Instant.parse("2026-11-23T12:00:00Z"));
    private final RedisTraces traces = new RedisTraces(time, LATE);

    @Test
    void aHoldWhoseRenewalIsAnsweredAfterItsOldLeaseIsGivenBackWithItsSession() {
        traces.granted("session", LOCK.name(), LOCK.token(), LEASE);
        time.advance(LEASE.plus(LATE));
        traces.runOnce();
        traces.renewed(LOCK, LEASE.multipliedBy(100));
        time.advance(LEASE.multipliedBy(99));
        traces.runOnce();
        assertThat(traces.heldBy("session")).containsExactly(LOCK);
        assertThat(traces.heldBy("other")).isEmpty();
    }

    @Test
    void whatIsOverIsForgottenWhenNoAnswerCanComeAnyMore() {
        traces.granted("session", LOCK.name(), LOCK.token(), LEASE);
        traces.mayWait(new Acquire("lock", "session", "request", "owner", Optional.of(LEASE), LEASE));
        time.advance(LEASE.plus(LATE).plusNanos(1));
        traces.runOnce();
        assertThat(traces.heldBy("session")).isEmpty();
        assertThat(traces.waitsOf("session")).hasSize(1);
        time.advance(Duration.ofHours(1));
        traces.runOnce();
        assertThat(traces.waitsOf("session")).isEmpty();
    }
}
