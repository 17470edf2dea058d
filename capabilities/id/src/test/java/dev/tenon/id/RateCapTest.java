package dev.tenon.id;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** At the rate limit a generator sleeps; it neither spins nor borrows more than it may. */
class RateCapTest {
    private static final IdLayout TWITTER = IdLayout.twitter();
    private static final int SECOND = 4_096_000;

    private final CountingClock clock = new CountingClock(Instant.parse("2026-11-21T12:00:00Z"));

    private SnowflakeGenerator generator(Lane lane, Duration borrow) {
        SnowflakeGenerator ids = SnowflakeGenerator.builder(TWITTER, WorkerId.fixed(1, clock))
                .borrow(borrow)
                .lane(lane)
                .build();
        ids.nextId(); // waits until its predecessor's borrowed time is over
        if (lane == Lane.STRIPED) {
            ids.watch().begin();
        }
        return ids;
    }

    /** Each wait lasts a quarter of the borrowed time, at most 5 ms, so that there are some 200 of them a second. */
    @ParameterizedTest
    @EnumSource(Lane.class)
    void sleepsSeldomAndLong(Lane lane) {
        SnowflakeGenerator ids = generator(lane, Duration.ofMillis(50));
        Instant start = clock.now();
        long parks = clock.parks();
        long readings = clock.readings();
        for (int i = 0; i < SECOND; i++) {
            ids.nextId();
        }
        assertThat(Duration.between(start, clock.now())).isBetween(Duration.ofMillis(945), Duration.ofMillis(1005));
        assertThat(clock.parks() - parks).isBetween(150L, 250L);
        long forIds = lane == Lane.STRICT ? SECOND : SECOND / 19;
        long forWaits = 10 * (clock.parks() - parks);
        assertThat(clock.readings() - readings).isLessThan(forIds + forIds / 50 + forWaits);
    }

    @Test
    void fillTakesNoReadingsButThoseOfItsWaits() {
        SnowflakeGenerator ids = generator(Lane.STRICT, Duration.ofMillis(50));
        long parks = clock.parks();
        long readings = clock.readings();
        ids.fill(new long[SECOND]);
        assertThat(clock.parks() - parks).isBetween(150L, 250L);
        assertThat(clock.readings() - readings).isLessThan(15 * (clock.parks() - parks));
    }

    @ParameterizedTest
    @EnumSource(Lane.class)
    void borrowsNoMoreThanItMay(Lane lane) {
        SnowflakeGenerator ids = generator(lane, Duration.ofMillis(7));
        for (int i = 0; i < SECOND / 10; i++) {
            Instant issued = TWITTER.decode(ids.nextId()).time();
            assertThat(issued.isAfter(clock.now().plusMillis(7))).isFalse();
        }
        long[] batch = new long[SECOND / 10];
        ids.fill(batch);
        assertThat(TWITTER.decode(batch[batch.length - 1]).time())
                .isBeforeOrEqualTo(clock.now().plusMillis(7));
    }

    /** A burst after a quiet time gets the borrowed time's worth at once. */
    @Test
    void aBurstDoesNotWait() {
        SnowflakeGenerator ids = generator(Lane.STRICT, Duration.ofMillis(50));
        clock.advance(Duration.ofSeconds(1));
        long parks = clock.parks();
        ids.fill(new long[4096 * 50]);
        assertThat(clock.parks()).isEqualTo(parks);
        ids.fill(new long[4096 * 2]);
        assertThat(clock.parks()).isGreaterThan(parks);
    }
}
