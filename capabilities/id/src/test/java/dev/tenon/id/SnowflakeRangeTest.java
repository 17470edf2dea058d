package dev.tenon.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.id.spi.IdRange;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Several IDs in one step: each is an ID like any other. */
class SnowflakeRangeTest {
    private static final List<IdLayout> LAYOUTS = List.of(
            IdLayout.twitter(),
            IdLayout.sonyflake(),
            IdLayout.baidu(),
            IdLayout.jsSafe(),
            IdLayout.builder().workerBits(5).sequenceBits(0).build());

    private final JumpyClock clock = new JumpyClock(Instant.parse("2026-11-21T12:00:00Z"));

    private SnowflakeGenerator generator(IdLayout layout, Lane lane) {
        SnowflakeGenerator ids = SnowflakeGenerator.builder(layout, WorkerId.fixed(21, clock))
                .lane(lane)
                .build();
        ids.nextId();
        ids.watch().begin();
        return ids;
    }

    @ParameterizedTest
    @EnumSource(Lane.class)
    void eachIdOfARangeDecodesToItsMaker(Lane lane) {
        for (IdLayout layout : LAYOUTS) {
            SnowflakeGenerator ids = generator(layout, lane);
            long last = ids.nextId();
            for (int round = 0; round < 30; round++) {
                IdRange range = ids.nextRange(300);
                assertThat(range.count()).isBetween(1L, 300L);
                IdParts before = null;
                for (long i = 0; i < range.count(); i++) {
                    long id = range.first() + i * range.step();
                    assertThat(id).isGreaterThan(last);
                    last = id;
                    IdParts parts = layout.decode(id);
                    assertThat(parts.workerId()).isEqualTo(21);
                    assertThat(parts.time())
                            .isBeforeOrEqualTo(clock.now().plus(layout.unit().multipliedBy(51)));
                    if (before != null && layout.workerIsLast()) {
                        assertThat(parts.time()).isAfterOrEqualTo(before.time());
                    } else if (before != null) {
                        assertThat(parts.time()).as("one unit").isEqualTo(before.time());
                        assertThat(parts.sequence()).isEqualTo(before.sequence() + 1);
                    }
                    before = parts;
                }
                assertThat(range.last()).isEqualTo(last);
                long next = ids.nextId();
                assertThat(next).isGreaterThan(last);
                last = next;
            }
        }
    }

    @Test
    void aRangeEndsWithItsUnitWhereTheSequenceIsLowest() {
        SnowflakeGenerator ids = generator(IdLayout.twitter(), Lane.STRICT);
        IdRange toTheEnd = ids.nextRange(5000);
        assertThat(IdLayout.twitter().decode(toTheEnd.last()).sequence()).isEqualTo(4095);
        IdRange whole = ids.nextRange(5000);
        assertThat(whole.count()).isEqualTo(4096);
        assertThat(IdLayout.twitter().decode(whole.first()).sequence()).isZero();
    }

    @Test
    void aRangeGoesOnThroughUnitsWhereTheWorkerIsLowest() {
        SnowflakeGenerator ids = generator(IdLayout.sonyflake(), Lane.STRICT);
        clock.advance(Duration.ofSeconds(1));
        IdRange range = ids.nextRange(1000);
        assertThat(range.count()).as("within the borrowed time").isEqualTo(1000);
        assertThat(range.step()).isEqualTo(65536);
        assertThat(IdLayout.sonyflake().decode(range.last()).time())
                .as("four or five units of 256 IDs, as the sequence begins anywhere")
                .isBetween(clock.now().plusMillis(30), clock.now().plusMillis(40));
    }

    @Test
    void atTheCapItWaits() {
        SnowflakeGenerator ids = generator(IdLayout.twitter(), Lane.STRICT);
        Instant start = clock.now();
        long taken = 0;
        while (taken < 4_096_000) {
            taken += ids.nextRange(4096).count();
        }
        assertThat(Duration.between(start, clock.now())).isBetween(Duration.ofMillis(945), Duration.ofMillis(1005));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    void refusesCountsThatAreNone(int count) {
        SnowflakeGenerator ids = generator(IdLayout.twitter(), Lane.STRICT);
        assertThatThrownBy(() -> ids.nextRange(count)).isInstanceOf(IllegalArgumentException.class);
        assertThat(ids.nextRange(Integer.MAX_VALUE).count()).isPositive();
    }

    @Test
    void failsAsASingleIdDoes() {
        WorkerId worker = WorkerId.fixed(21, clock);
        SnowflakeGenerator ids = SnowflakeGenerator.create(IdLayout.twitter(), worker);
        ids.nextRange(10);
        clock.advance(Duration.ofSeconds(1));
        ids.nextRange(10);
        clock.step(Duration.ofSeconds(-30));
        clock.advance(Duration.ofMillis(2));
        assertThatThrownBy(() -> ids.nextRange(10)).isInstanceOf(ClockMovedBackwardsException.class);
        worker.close();
        assertThatThrownBy(() -> ids.nextRange(10)).isInstanceOf(IllegalStateException.class);
    }
}
