package dev.tenon.id.standard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.id.RangeExhaustedException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class EpochUuidGeneratorTest {
    private static final long START = Instant.parse("2026-11-21T12:00:00Z").toEpochMilli();
    private static final int COUNTERS = 1 << EpochUuidGenerator.COUNTER_BITS;
    private static final long HOUR = 3_600_000;

    private final SteppingClock clock = new SteppingClock(START);
    private final EpochUuidGenerator ids =
            EpochUuidGenerator.builder().time(clock).random(new Random(7)).build();

    @Property(tries = 300)
    void ascendsThroughAnyClock(
            @ForAll @Size(min = 1, max = 50) List<@LongRange(min = -HOUR, max = HOUR) Long> steps,
            @ForAll @IntRange(min = 1, max = 20) int each) {
        UUID last = Rfc9562.NIL;
        long reached = 0;
        for (long step : steps) {
            clock.step(step);
            reached = Math.max(reached, clock.epochMillis());
            for (int i = 0; i < each; i++) {
                UUID next = ids.nextUuid();
                assertThat(Rfc9562.compare(next, last)).isPositive();
                assertThat(next.version()).isEqualTo(7);
                assertThat(next.variant()).isEqualTo(2);
                assertThat(millis(next)).isGreaterThanOrEqualTo(clock.epochMillis());
                last = next;
            }
        }
        assertThat(clock.parks()).isZero();
    }

    @Test
    void hasTheTimeOfTheClock() {
        assertThat(Rfc9562.time(ids.nextUuid())).contains(Instant.ofEpochMilli(START));
        clock.step(1);
        assertThat(Rfc9562.time(ids.nextUuid())).contains(Instant.ofEpochMilli(START + 1));
    }

    @Test
    void staysWhereItWasWhenTheClockIsSetBack() {
        ids.nextUuid();
        clock.step(-HOUR);
        assertThat(millis(ids.nextUuid())).isEqualTo(START);
        clock.step(HOUR + 1);
        assertThat(millis(ids.nextUuid())).isEqualTo(START + 1);
    }

    @Test
    void aCounterThatOverflowsGoesOnInTheNextMillisecond() {
        UUID last = ids.nextUuid();
        for (int i = 1; i <= COUNTERS / 2; i++) { // at least half of the counter is left for these
            UUID next = ids.nextUuid();
            assertThat(Rfc9562.compare(next, last)).isPositive();
            last = next;
        }
        assertThat(millis(last)).isEqualTo(START);
        for (int i = 0; i < COUNTERS / 2; i++) {
            UUID next = ids.nextUuid();
            assertThat(Rfc9562.compare(next, last)).isPositive();
            last = next;
        }
        assertThat(millis(last)).isEqualTo(START + 1);
    }

    @Test
    void eachMillisecondBeginsAtAnotherCounterWithTheTopBitClear() {
        Set<Long> counters = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            UUID uuid = ids.nextUuid();
            assertThat(uuid.getMostSignificantBits() & 0x800).isZero();
            counters.add(counter(uuid));
            clock.step(1);
        }
        assertThat(counters).hasSizeGreaterThan(980); // of 131072 by chance: four twice, say
    }

    @Test
    void generatorsHaveKeysOfTheirOwn() {
        UUID here = EpochUuidGenerator.builder().time(clock).build().nextUuid();
        UUID there = EpochUuidGenerator.builder().time(clock).build().nextUuid();
        assertThat(random(here)).isNotEqualTo(random(there));
        UUID seeded = EpochUuidGenerator.builder()
                .time(clock)
                .random(new Random(7))
                .build()
                .nextUuid();
        assertThat(seeded).isEqualTo(ids.nextUuid());
    }

    /**
     * 56 random bits in each of 20 000 UUIDs: every bit set half the time, and every pair of neighbours half different.
     */
    @Test
    void randomBitsLookRandomEvenInOneMillisecond() {
        int count = 20_000;
        int[] set = new int[56];
        int[] changed = new int[56];
        long before = random(ids.nextUuid());
        for (int i = 0; i < count; i++) {
            long now = random(ids.nextUuid());
            for (int bit = 0; bit < 56; bit++) {
                set[bit] += (int) (now >>> bit & 1);
                changed[bit] += (int) ((now ^ before) >>> bit & 1);
            }
            before = now;
        }
        // Half of 20 000 with a standard deviation of 71; 5 of those once in 10 000 runs of all bits, and the key is
        // fixed.
        assertThat(Arrays.stream(set)).allMatch(n -> Math.abs(n - count / 2) < 355);
        assertThat(Arrays.stream(changed)).allMatch(n -> Math.abs(n - count / 2) < 355);
    }

    @Test
    void eightThreadsGetNoneTwiceAndEachInOrder() throws Exception {
        EpochUuidGenerator fast = EpochUuidGenerator.create();
        long from = System.currentTimeMillis();
        List<List<UUID>> drawn = Many.draw(100_000, fast::nextUuid);
        long to = System.currentTimeMillis();
        Set<UUID> seen = new HashSet<>();
        for (List<UUID> one : drawn) {
            UUID last = Rfc9562.NIL;
            for (UUID uuid : one) {
                assertThat(Rfc9562.compare(uuid, last)).isPositive();
                last = uuid;
                seen.add(uuid);
                assertThat(millis(uuid)).isBetween(from, to);
            }
        }
        assertThat(seen).hasSize(Many.THREADS * 100_000);
    }

    /**
     * While it is busy it does not read the clock for each UUID; when it has been idle, it has the time again at once.
     */
    @Test
    void isOnTimeAgainAfterABurst() {
        EpochUuidGenerator fast = EpochUuidGenerator.create();
        await().until(() -> {
            for (int i = 0; i < 100_000; i++) {
                fast.nextUuid();
            }
            return hasThread("tenon-uuid-clock");
        });
        await().until(() -> !hasThread("tenon-uuid-clock"));
        long before = System.currentTimeMillis();
        assertThat(millis(fast.nextUuid())).isBetween(before, System.currentTimeMillis());
    }

    @Test
    void refusesAClockThatNoTimestampHolds() {
        clock.step(Long.MAX_VALUE >> EpochUuidGenerator.COUNTER_BITS);
        assertThatThrownBy(ids::nextUuid)
                .isInstanceOf(RangeExhaustedException.class)
                .hasMessageContaining("set it right");
    }

    @Test
    void aClockBefore1970CountsAs1970() {
        clock.step(-2 * START);
        assertThat(millis(ids.nextUuid())).isZero();
        assertThat(millis(ids.nextUuid())).isZero();
    }

    private static long millis(UUID uuid) {
        return uuid.getMostSignificantBits() >>> 16;
    }

    private static long counter(UUID uuid) {
        return (uuid.getMostSignificantBits() & 0xfff) << 6 | uuid.getLeastSignificantBits() >>> 56 & 0x3f;
    }

    private static long random(UUID uuid) {
        return uuid.getLeastSignificantBits() & (1L << 56) - 1;
    }

    private static boolean hasThread(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals(name));
    }
}
