package dev.tenon.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.BackendUnavailableException;
import dev.tenon.id.spi.IdRange;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** The passes of the background, driven by hand. */
class SegmentBufferTest {
    private static final SegmentPolicy STEP_100 = SegmentPolicy.ofStep(100).withWaitMax(Duration.ZERO);

    private final JumpyClock clock = new JumpyClock(Instant.parse("2026-11-21T12:00:00Z"));
    private final TableRanges store = new TableRanges();
    private final WatchedRanges ranges = new WatchedRanges(store, "n");

    private SegmentBuffer buffer(SegmentPolicy policy) {
        SegmentBuffer buffer = new SegmentBuffer(ranges, policy, clock, null, new SegmentSignal());
        buffer.runOnce();
        assertThat(store.counts())
                .as("nothing is asked before the first ID is wanted")
                .isEmpty();
        assertThatThrownBy(buffer::next).isInstanceOf(BackendUnavailableException.class);
        return buffer;
    }

    private static void take(SegmentBuffer buffer, int count) {
        for (int i = 0; i < count; i++) {
            buffer.next();
        }
    }

    @Test
    void theNextSegmentIsFetchedWhenFifteenPercentAreLeft() {
        SegmentBuffer buffer = buffer(STEP_100);
        buffer.runOnce();
        assertThat(store.counts()).hasSize(1);

        take(buffer, 84);
        buffer.runOnce();
        assertThat(store.counts()).as("16 are left").hasSize(1);

        take(buffer, 1);
        buffer.runOnce();
        buffer.runOnce();
        assertThat(store.counts()).as("15 are left").hasSize(2);
        assertThat(buffer.left()).isEqualTo(115);

        take(buffer, 15 + 84);
        buffer.runOnce();
        assertThat(store.counts()).hasSize(2);
        take(buffer, 1);
        buffer.runOnce();
        assertThat(store.counts()).hasSize(3);
    }

    @Test
    void aStoreThatFailsIsAskedLessAndLess() {
        SegmentBuffer buffer = buffer(STEP_100);
        store.failWith(() -> new BackendUnavailableException("away"));
        for (int i = 0; i < 100; i++) {
            buffer.runOnce();
            assertThatThrownBy(buffer::next)
                    .isInstanceOf(BackendUnavailableException.class)
                    .hasMessage("away");
        }
        assertThat(store.counts()).as("without time passing").hasSize(1);
        for (int i = 0; i < 10_000; i++) {
            clock.advance(Duration.ofMillis(1));
            Duration pause = buffer.runOnce();
            assertThat(pause).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(1));
        }
        // 20, 40, 80, 160, 320, 640 ms, and then one a second.
        assertThat(store.counts()).hasSizeBetween(14, 17);

        store.failWith(null);
        clock.advance(Duration.ofSeconds(1));
        buffer.runOnce();
        assertThat(buffer.next()).isEqualTo(1);
    }

    @Test
    void anErrorOfTheStoreIsToldAndTheNextPassFetchesAgain() {
        SegmentBuffer buffer = buffer(STEP_100);
        OutOfMemoryError error = new OutOfMemoryError("unable to create native thread");
        store.failWith(() -> {
            throw error;
        });
        assertThat(buffer.runOnce()).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(1));
        assertThatThrownBy(buffer::next)
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining("unable to create native thread")
                .hasCause(error);
        store.failWith(null);
        clock.advance(Duration.ofSeconds(1));
        buffer.runOnce();
        assertThat(buffer.next()).isEqualTo(1);
    }

    @Test
    void theSizeFollowsTheRateWithinItsBounds() {
        SegmentBuffer buffer = buffer(SegmentPolicy.DEFAULT.withSize(50, 5000).withWaitMax(Duration.ZERO));
        buffer.runOnce();
        for (int i = 0; i < 20_000; i++) { // 2000 a second
            clock.advance(Duration.ofNanos(500_000));
            buffer.next();
            buffer.runOnce();
        }
        List<Long> counts = store.counts();
        assertThat(counts.subList(0, 3)).containsExactly(50L, 400L, 2000L);
        assertThat(counts.subList(3, counts.size())).isNotEmpty().allMatch(size -> size >= 1900 && size <= 2100);
        assertThat(buffer.left()).as("wasted by a crash now").isLessThanOrEqualTo(2 * 2000 + 200);

        int before = counts.size();
        for (int i = 0; i < 5000; i++) { // 10 a second
            clock.advance(Duration.ofMillis(100));
            buffer.next();
            buffer.runOnce();
        }
        assertThat(counts.get(counts.size() - 1)).isEqualTo(50);

        for (int i = 0; i < 200_000; i++) { // as fast as it goes
            clock.advance(Duration.ofNanos(100));
            buffer.next();
            buffer.runOnce();
        }
        assertThat(counts.get(counts.size() - 1)).isEqualTo(5000);
        assertThat(counts.size()).isGreaterThan(before);
    }

    @Test
    void aSegmentGrowsEvenWhenItsCallersRanDry() {
        SegmentBuffer buffer =
                buffer(SegmentPolicy.DEFAULT.withSize(10, 100_000).withWaitMax(Duration.ZERO));
        for (int i = 0; i < 6; i++) {
            assertThatThrownBy(buffer::next).isInstanceOf(BackendUnavailableException.class);
            clock.advance(Duration.ofSeconds(10)); // a slow store, not a low rate
            buffer.runOnce();
            long left = buffer.left();
            take(buffer, (int) left);
            clock.advance(Duration.ofNanos(1000));
        }
        assertThat(store.counts()).containsExactly(10L, 80L, 640L, 5120L, 40_960L, 100_000L);
    }

    @Test
    void aRangeThatWentBackIsNotIssuedAndNoMoreIsTakenUntilTheSequenceWasRaised() {
        SegmentBuffer buffer = buffer(STEP_100);
        buffer.runOnce();
        for (int segment = 0; segment < 4; segment++) {
            take(buffer, 90);
            buffer.runOnce();
            take(buffer, 10);
        }
        take(buffer, 90);
        assertThat(ranges.highestSeen()).hasValue(500);
        assertThat(ranges.regression()).isEmpty();
        store.rollBack();
        buffer.runOnce();
        take(buffer, 10);
        assertThatThrownBy(buffer::next)
                .isInstanceOf(SequenceRegressedException.class)
                .hasMessageContaining("gave 1 after 500");
        assertThat(buffer.wasted()).isEqualTo(100);
        assertThat(ranges.regression()).isPresent();
        assertThat(ranges.highestSeen()).hasValue(500);

        int asked = store.counts().size();
        for (int i = 0; i < 10; i++) {
            clock.advance(Duration.ofSeconds(1));
            buffer.runOnce();
            assertThatThrownBy(buffer::next)
                    .isInstanceOf(SequenceRegressedException.class)
                    .hasMessageContaining("would give 101 after 500");
        }
        assertThat(store.counts()).as("it only looks").hasSize(asked);

        store.raiseTo("n", ranges.highestSeen().getAsLong());
        clock.advance(Duration.ofSeconds(1));
        buffer.runOnce();
        assertThat(buffer.next()).isEqualTo(501);
        assertThat(ranges.regression()).isEmpty();
        assertThat(buffer.wasted()).isEqualTo(100);
    }

    @Test
    void whatIsRefusedDoesNotItselfMoveTheStorePastTheMark() {
        SegmentBuffer buffer = buffer(STEP_100);
        buffer.runOnce();
        take(buffer, 100);
        store.rollBack();
        buffer.runOnce();
        assertThatThrownBy(buffer::next)
                .isInstanceOf(SequenceRegressedException.class)
                .hasMessageContaining("gave 1 after 100; raise it above 101");
        for (int i = 0; i < 3; i++) {
            clock.advance(Duration.ofSeconds(1));
            buffer.runOnce();
            assertThatThrownBy(buffer::next).isInstanceOf(SequenceRegressedException.class);
        }
        assertThat(ranges.highestSeen()).hasValue(101);

        store.raiseTo("n", ranges.highestSeen().getAsLong());
        clock.advance(Duration.ofSeconds(1));
        buffer.runOnce();
        assertThat(buffer.next()).isEqualTo(102);
        assertThat(ranges.regression()).isEmpty();
    }

    /** A limit that the page tells of: nobody can tell such a store from one that did not go back. */
    @Test
    void aStoreThatWentBackAndWasCaughtUpByAnAnswerThatWasLostIsNotNoticed() {
        SegmentBuffer buffer = buffer(STEP_100);
        buffer.runOnce();
        take(buffer, 100);
        store.rollBack();
        store.next("n", 100); // the buffer's own request, say, whose answer never came
        buffer.runOnce();
        assertThat(buffer.next()).isEqualTo(101);
        assertThat(ranges.regression()).isEmpty();
    }

    @Test
    void aRangeThatOverlapsIsNotIssuedEither() {
        SegmentBuffer buffer = buffer(STEP_100);
        buffer.runOnce();
        store.rollBack();
        store.next("n", 99);
        take(buffer, 100);
        buffer.runOnce();
        assertThatThrownBy(buffer::next)
                .isInstanceOf(SequenceRegressedException.class)
                .hasMessageContaining("gave 100 after 100");
    }

    @Test
    void fillTakesWholeRangesAndRingsTheAlarmThatItPasses() {
        SegmentBuffer buffer = buffer(STEP_100);
        buffer.runOnce();
        buffer.fill(new long[86]);
        buffer.runOnce();
        assertThat(store.counts()).hasSize(2);
        long[] ids = new long[30];
        buffer.fill(ids);
        assertThat(ids).startsWith(87).endsWith(116).isSorted().doesNotHaveDuplicates();
        assertThatThrownBy(() -> buffer.fill(new long[1000])).isInstanceOf(BackendUnavailableException.class);
    }

    @Test
    void aRangeAtOnceIsWhatTheSegmentHasAndRingsTheAlarmThatItPasses() {
        SegmentBuffer buffer = buffer(STEP_100);
        buffer.runOnce();
        assertThat(buffer.nextRange(60)).isEqualTo(new IdRange(1, 60, 1));
        assertThat(buffer.nextRange(1)).isEqualTo(new IdRange(61, 1, 1));
        assertThat(buffer.nextRange(Integer.MAX_VALUE)).isEqualTo(new IdRange(62, 39, 1));
        buffer.runOnce();
        assertThat(buffer.nextRange(7)).isEqualTo(new IdRange(101, 7, 1));
        for (int bad : new int[] {0, -1, Integer.MIN_VALUE}) {
            assertThatThrownBy(() -> buffer.nextRange(bad)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(buffer.left()).isEqualTo(93);
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.MIXIN)
    void theSizeIsTheRateTimesTheTargetWithinTheBounds(
            @ForAll @LongRange(min = 1, max = 10_000_000) long idsPerSecond,
            @ForAll @LongRange(min = 1, max = 600_000) long targetMillis,
            @ForAll @LongRange(min = 1, max = 1_000_000) long sizeMin,
            @ForAll @LongRange(min = 1, max = 2000) long spread) {
        SegmentPolicy policy = SegmentPolicy.DEFAULT
                .withTarget(Duration.ofMillis(targetMillis))
                .withSize(sizeMin, sizeMin * spread);
        SegmentSizing sizing = new SegmentSizing(policy);
        double wanted = (double) idsPerSecond * targetMillis / 1000;
        double ideal = Math.max(policy.sizeMin(), Math.min(policy.sizeMax(), wanted));

        long nanos = 0;
        long size = sizing.first();
        sizing.bought(size, 0, nanos);
        long before = 0;
        for (int i = 0; i < 20; i++) {
            long left = (long) (size * policy.prefetchAt());
            nanos += (long) ((before + size - left) * 1e9 / idsPerSecond);
            long next = sizing.next(size, left, nanos);
            assertThat(next).isBetween(policy.sizeMin(), Math.min(policy.sizeMax(), Math.max(size * 8, sizeMin)));
            sizing.bought(next, left, nanos);
            before = left;
            size = next;
        }
        assertThat((double) size).isCloseTo(ideal, Offset.offset(2 + ideal / 50));
    }

    @Test
    void theRuleForAPeakOutlastsTheOutageFromItsWorstMomentOn() {
        SegmentPolicy policy =
                SegmentPolicy.forPeak(1000, Duration.ofSeconds(60)).withWaitMax(Duration.ZERO);
        assertThat(policy.sizeMin()).isEqualTo(240_000).isEqualTo(policy.sizeMax());
        SegmentBuffer buffer = buffer(policy);
        buffer.runOnce();
        int untilPrefetch = 240_000 - 72_000;
        for (int i = 0; i < untilPrefetch - 1; i++) {
            buffer.next();
        }
        store.failWith(() -> new BackendUnavailableException("away"));
        for (int i = 0; i < 60 * 1000 + 2; i++) {
            clock.advance(Duration.ofMillis(1));
            buffer.runOnce();
            buffer.next();
        }
        store.failWith(null);
        clock.advance(Duration.ofSeconds(1));
        buffer.runOnce();
        assertThat(buffer.left()).isGreaterThan(240_000);
    }

    @Test
    void aPeakThatNoSegmentHoldsIsRefused() {
        assertThat(SegmentPolicy.forPeak(1, Duration.ofMillis(1)).sizeMax()).isEqualTo(1);
        Duration minute = Duration.ofMinutes(1);
        for (long bad : new long[] {0, -1, Long.MIN_VALUE, 10_000_000, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> SegmentPolicy.forPeak(bad, minute)).isInstanceOf(IllegalArgumentException.class);
        }
        for (Duration bad : List.of(Duration.ZERO, Duration.ofMillis(-1), Duration.ofHours(7), Duration.ofDays(365))) {
            assertThatThrownBy(() -> SegmentPolicy.forPeak(1, bad)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void anAlarmIsAtTheShareThatIsLeft() {
        assertThat(Segment.of(new IdRange(1, 1, 1), 0.15, null).alarmIn(0, 1)).isTrue();
        assertThat(Segment.of(new IdRange(1, 100, 1), 1, null).alarmIn(0, 1)).isTrue();
        assertThat(Segment.of(new IdRange(1, 100, 1), 0.001, null).alarmIn(99, 1))
                .isTrue();
        assertThat(Segment.of(new IdRange(1, 100, 1), 0.15, null).alarmIn(0, 84))
                .isFalse();
        assertThat(Segment.of(new IdRange(1, 100, 1), 0.15, null).alarmIn(0, 85))
                .isTrue();
        assertThat(Segment.of(new IdRange(1, 100, 1), 0.15, null).alarmIn(85, 15))
                .isFalse();
    }
}
