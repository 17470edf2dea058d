package dev.tenon.id.standard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.id.RangeExhaustedException;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class GregorianUuidGeneratorTest {
    private static final Instant START = Instant.parse("2026-11-21T12:00:00Z");
    private static final long HOUR = 3_600_000;
    private static final long MULTICAST = 1L << 40;

    private final SteppingClock clock = new SteppingClock(START.toEpochMilli());

    @Property(tries = 300)
    void repeatsNothingThroughAnyClockAndAscendsInEachClockSequence(
            @ForAll @IntRange(min = 0, max = 1) int ordered,
            @ForAll @Size(min = 1, max = 50) List<@LongRange(min = -HOUR, max = HOUR) Long> steps,
            @ForAll @IntRange(min = 1, max = 20) int each) {
        GregorianUuidGenerator ids = generator(ordered == 1 ? 6 : 1);
        Set<UUID> seen = new HashSet<>();
        Map<Integer, Instant> lastOf = new HashMap<>();
        long setBack = 0;
        int sequence = -1;
        int changes = -1;
        for (long step : steps) {
            clock.step(step);
            setBack += step < 0 ? 1 : 0;
            for (int i = 0; i < each; i++) {
                UUID uuid = ids.nextUuid();
                assertThat(seen.add(uuid)).isTrue();
                assertThat(uuid.version()).isEqualTo(ordered == 1 ? 6 : 1);
                Instant time = Rfc9562.time(uuid).orElseThrow();
                Instant before = lastOf.put(Rfc9562.clockSequence(uuid), time);
                assertThat(before == null || before.isBefore(time)).isTrue();
                assertThat(time).isBefore(clock.now().plusMillis(111));
                changes += Rfc9562.clockSequence(uuid) != sequence ? 1 : 0;
                sequence = Rfc9562.clockSequence(uuid);
            }
        }
        assertThat((long) changes).isLessThanOrEqualTo(setBack);
    }

    @Test
    void version6AscendsInTheOrderOfBytes() {
        GregorianUuidGenerator ids = generator(6);
        UUID last = Rfc9562.NIL;
        for (int i = 0; i < 30_000; i++) {
            UUID next = ids.nextUuid();
            assertThat(Rfc9562.compare(next, last)).isPositive();
            last = next;
            clock.step(i % 100 == 0 ? 1 : 0);
        }
    }

    @Test
    void countsOnThroughASmallStepBack() {
        GregorianUuidGenerator ids = generator(6);
        UUID before = ids.nextUuid();
        clock.step(-99);
        UUID after = ids.nextUuid();
        assertThat(Rfc9562.compare(after, before)).isPositive();
        assertThat(Rfc9562.clockSequence(after)).isEqualTo(Rfc9562.clockSequence(before));
        assertThat(clock.parks()).isZero();
    }

    @Test
    void takesTheNextClockSequenceWhenTheClockIsSetBack() {
        GregorianUuidGenerator ids = GregorianUuidGenerator.builder(1)
                .time(clock)
                .clockSequence(Gregorian.SEQUENCE_MAX)
                .build();
        assertThat(Rfc9562.clockSequence(ids.nextUuid())).isEqualTo(Gregorian.SEQUENCE_MAX);
        clock.step(-1000);
        UUID after = ids.nextUuid();
        assertThat(Rfc9562.clockSequence(after)).isZero();
        assertThat(Rfc9562.time(after)).contains(START.minusSeconds(1));
        clock.step(500);
        assertThat(Rfc9562.clockSequence(ids.nextUuid())).isZero();
    }

    @Test
    void staysAtItsTimeWhenEveryClockSequenceIsUsed() {
        GregorianUuidGenerator ids = generator(6);
        Set<Integer> sequences = new HashSet<>();
        Set<UUID> seen = new HashSet<>();
        for (int i = 0; i <= Gregorian.SEQUENCE_MAX; i++) {
            UUID uuid = ids.nextUuid();
            seen.add(uuid);
            sequences.add(Rfc9562.clockSequence(uuid));
            clock.step(-200);
        }
        assertThat(sequences).hasSize(Gregorian.SEQUENCE_MAX + 1);
        UUID last = ids.nextUuid();
        for (int i = 0; i < 100; i++) {
            clock.step(-HOUR);
            UUID next = ids.nextUuid();
            assertThat(Rfc9562.compare(next, last)).isPositive();
            assertThat(seen.add(next)).isTrue();
            last = next;
        }
    }

    @Test
    void aBurstRunsAheadALittleAndThenWaits() {
        GregorianUuidGenerator ids = generator(1);
        UUID first = ids.nextUuid();
        UUID last = first;
        for (int i = 0; i < 1_005_000; i++) { // 10 000 ticks a millisecond, 100 ms ahead
            last = ids.nextUuid();
        }
        assertThat(clock.parks()).isEqualTo(1);
        assertThat(Rfc9562.clockSequence(last)).isEqualTo(Rfc9562.clockSequence(first));
        assertThat(Rfc9562.time(last)).contains(START.plusNanos(100_500_000));
    }

    @Test
    void anInterruptOutlivesTheWait() {
        GregorianUuidGenerator ids = generator(1);
        for (int i = 0; i < 1_000_000; i++) {
            ids.nextUuid();
        }
        Thread.currentThread().interrupt();
        for (int i = 0; i < 100; i++) {
            ids.nextUuid();
        }
        assertThat(clock.parks()).isPositive();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void nodeAndClockSequenceAreRandomAndMulticast() {
        Set<Long> nodes = new HashSet<>();
        Set<Integer> sequences = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            UUID uuid = GregorianUuidGenerator.version1().nextUuid();
            nodes.add(Rfc9562.node(uuid));
            sequences.add(Rfc9562.clockSequence(uuid));
        }
        assertThat(nodes).hasSize(100).allMatch(node -> (node & MULTICAST) != 0);
        assertThat(sequences).hasSizeGreaterThan(90);
    }

    @Test
    void eightThreadsGetNoneTwice() throws Exception {
        GregorianUuidGenerator ids = GregorianUuidGenerator.version6();
        List<List<UUID>> drawn = Many.draw(50_000, ids::nextUuid);
        Set<UUID> seen = new HashSet<>();
        drawn.forEach(seen::addAll);
        assertThat(seen).hasSize(Many.THREADS * 50_000);
    }

    @Test
    void refusesWhatIsNone() {
        assertThatThrownBy(() -> GregorianUuidGenerator.builder(7)).isInstanceOf(IllegalArgumentException.class);
        var builder = GregorianUuidGenerator.builder(1);
        assertThatThrownBy(() -> builder.node(1L << 48)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.node(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.clockSequence(1 << 14)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.clockSequence(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void endsWhereTheTimestampDoes() {
        clock.step(Instant.parse("5500-01-01T00:00:00Z").toEpochMilli());
        GregorianUuidGenerator ids = generator(6);
        assertThatThrownBy(() -> {
                    while (true) {
                        ids.nextUuid();
                    }
                })
                .isInstanceOf(RangeExhaustedException.class)
                .hasMessageContaining("5236");
    }

    private GregorianUuidGenerator generator(int version) {
        return GregorianUuidGenerator.builder(version)
                .time(clock)
                .random(new Random(11))
                .build();
    }
}
