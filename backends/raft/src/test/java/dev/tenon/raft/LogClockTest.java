package dev.tenon.raft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.ManualClock;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class LogClockTest {
    private static final Instant WALL = Instant.parse("2026-11-21T12:00:00Z");

    private final ManualClock time = new ManualClock(WALL);

    @Test
    void aStepOfTheWallClockChangesNothing() {
        LogClock clock = LogClock.ofOneNode(time, Instant.EPOCH);
        time.setWall(WALL.plus(Duration.ofDays(400)));
        assertThat(clock.now()).isEqualTo(WALL);
        time.setWall(WALL.minus(Duration.ofDays(400)));
        time.advance(Duration.ofSeconds(7));
        assertThat(clock.now()).isEqualTo(WALL.plusSeconds(7));
    }

    @Test
    void itGoesOnWhereTheLogStandsWhenTheWallClockIsBehindIt() {
        Instant latest = WALL.plusSeconds(90);
        LogClock clock = LogClock.ofOneNode(time, latest);
        assertThat(clock.now()).isEqualTo(latest);
        time.advance(Duration.ofMillis(1));
        assertThat(clock.now()).isEqualTo(latest.plusMillis(1));
    }

    @Test
    void itCountsWholeMicroseconds() {
        LogClock clock = LogClock.ofOneNode(time, Instant.EPOCH);
        time.advance(Duration.ofNanos(1_999));
        assertThat(clock.now()).isEqualTo(WALL.plusNanos(1_000));
    }
}
