package dev.tenon.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.BackendUnavailableException;
import dev.tenon.id.spi.IdRange;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The passes of the background, driven by hand. */
class SegmentBufferTest {
    private static final SegmentPolicy STEP_100 = SegmentPolicy.ofStep(100).withWaitMax(Duration.ZERO);

    private final JumpyClock clock = new JumpyClock(Instant.parse("2026-11-21T12:00:00Z"));
    private final TableRanges store = new TableRanges();

    private SegmentBuffer buffer(SegmentPolicy policy) {
        SegmentBuffer buffer = new SegmentBuffer(store, "n", policy, clock, null);
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
    void aRangeThatWentBackIsNotIssued() {
        SegmentBuffer buffer = buffer(STEP_100);
        buffer.runOnce();
        take(buffer, 90);
        store.rollBack();
        buffer.runOnce();
        take(buffer, 10);
        assertThatThrownBy(buffer::next)
                .isInstanceOf(SequenceRegressedException.class)
                .hasMessageContaining("gave 1 after 100");
        assertThat(buffer.wasted()).isEqualTo(100);

        store.raiseTo("n", 5000);
        clock.advance(Duration.ofSeconds(1));
        buffer.runOnce();
        assertThat(buffer.next()).isEqualTo(5001);
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
