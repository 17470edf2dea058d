package dev.tenon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ManualClockTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private final ManualClock clock = new ManualClock(START);

    @Test
    void timeStandsStillUntilItIsMoved() {
        assertThat(clock.now()).isEqualTo(START);
        assertThat(clock.epochMillis()).isEqualTo(START.toEpochMilli());
        assertThat(clock.nanoTime()).isZero();
    }

    @Test
    void anAdvanceMovesBothClocksAndAStepOnlyTheWall() {
        clock.advance(Duration.ofSeconds(2));
        clock.setWall(START.minusSeconds(100));
        clock.advance(Duration.ofSeconds(1));
        assertThat(clock.nanoTime()).isEqualTo(3_000_000_000L);
        assertThat(clock.now()).isEqualTo(START.minusSeconds(99));
        assertThatThrownBy(() -> clock.advance(Duration.ofNanos(-1))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aParkedThreadWakesWhenEnoughTimeHasPassed() throws Exception {
        Thread parked = new Thread(() -> clock.park(Duration.ofSeconds(5)));
        parked.start();
        await().until(() -> parked.getState() == Thread.State.WAITING);
        clock.advance(Duration.ofSeconds(4));
        clock.setWall(START.plusSeconds(1000));
        await().during(Duration.ofMillis(50)).until(parked::isAlive);
        clock.advance(Duration.ofSeconds(1));
        parked.join(10_000);
        assertThat(parked.isAlive()).isFalse();
    }

    @Test
    void anInterruptEndsAParkAndStaysSet() {
        Thread.currentThread().interrupt();
        clock.park(Duration.ofDays(1));
        assertThat(Thread.interrupted()).isTrue();
        TimeSource.system().park(Duration.ofNanos(1));
    }
}
