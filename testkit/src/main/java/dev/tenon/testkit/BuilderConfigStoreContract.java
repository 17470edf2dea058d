package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.id.RangeExhaustedException;
import dev.tenon.id.builder.MisconfiguredCodeException;
import dev.tenon.id.builder.UnknownCodeException;
import dev.tenon.id.spi.BuilderConfig;
import dev.tenon.id.spi.BuilderConfigStore;
import dev.tenon.id.spi.BuilderSegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What every {@link BuilderConfigStore} must do. A backend's test extends it, supplies the store and writes its rows;
 * codes are fresh in every test, so that one table may serve them all.
 */
public abstract class BuilderConfigStoreContract {
    private static final int THREADS = 8;

    private int code;

    /** A row, as whoever keeps the table writes it; {@code biz_code} may be empty. */
    public record Row(
            int code,
            @Nullable Long threshold,
            @Nullable Integer step,
            @Nullable String bizCode,
            int isSeq) {}

    /** The store under test, as one process has it. */
    protected abstract BuilderConfigStore store();

    /** The same table, as another process has it. */
    protected abstract BuilderConfigStore otherStore();

    /** Writes a row, over the one with its code if there is one. */
    protected abstract void put(Row row);

    @BeforeEach
    void chooseCode() {
        code = ThreadLocalRandom.current().nextInt(1, Integer.MAX_VALUE);
    }

    private void put(long threshold, int step) {
        put(new Row(code, threshold, step, "order_", 0));
    }

    @Test
    void aCodeWithoutARowIsUnknownAndTheMessageSaysHowToDefineIt() {
        for (Runnable call : List.<Runnable>of(
                () -> store().config(code), () -> store().take(code), () -> store().raiseTo(code, 1))) {
            assertThatThrownBy(call::run)
                    .isInstanceOf(UnknownCodeException.class)
                    .hasMessageContaining("INSERT INTO t_id_builder_config")
                    .hasMessageContaining(Integer.toString(code));
        }
        put(1, 10);
        assertThat(store().take(code).first()).isEqualTo(1);
    }

    @Test
    void aRowIsToldAsItIs() {
        put(new Row(code, 0L, 4000, "order_", 0));
        assertThat(store().config(code)).isEqualTo(new BuilderConfig(code, "order_", 4000, true));
        put(new Row(code, 0L, 1, null, 1));
        assertThat(store().config(code)).isEqualTo(new BuilderConfig(code, "", 1, false));
    }

    @Test
    void allRowsThatMakeSenseAreListed() {
        put(new Row(code, 0L, 4000, "order_", 0));
        assertThat(otherStore().configs()).contains(new BuilderConfig(code, "order_", 4000, true));
        put(new Row(code, 0L, 1, null, 1));
        assertThat(store().configs()).contains(new BuilderConfig(code, "", 1, false));
        put(new Row(code, -1L, 0, "", 0));
        assertThat(store().configs()).noneMatch(config -> config.code() == code);
    }

    @Test
    void segmentsBeginAtTheThresholdAndFollowEachOther() {
        put(10_000, 2000);
        BuilderSegment first = store().take(code);
        assertThat(first.config()).isEqualTo(new BuilderConfig(code, "order_", 2000, true));
        assertThat(first.range().first()).isEqualTo(10_000);
        assertThat(first.range().last()).isEqualTo(11_999);
        assertThat(otherStore().take(code).first()).isEqualTo(12_000);
        assertThat(store().take(code).first()).isEqualTo(14_000);
    }

    @Test
    void anotherStepHoldsFromTheNextSegmentOn() {
        put(0, 10);
        assertThat(store().take(code).range().last()).isEqualTo(9);
        put(10, Integer.MAX_VALUE);
        assertThat(store().take(code).range().last()).isEqualTo(10L + Integer.MAX_VALUE - 1);
        put(10L + Integer.MAX_VALUE, 1);
        assertThat(store().take(code).range().last()).isEqualTo(10L + Integer.MAX_VALUE);
    }

    @Test
    void noNumberIsInTwoSegmentsAndEachProcessSeesThemAscend() {
        put(1, 7);
        int each = 40;
        List<List<Long>> firsts = Concurrently.on(THREADS, i -> {
            List<Long> mine = new ArrayList<>();
            for (int j = 0; j < each; j++) {
                mine.add((i % 2 == 0 ? store() : otherStore()).take(code).first());
            }
            return mine;
        });
        firsts.forEach(mine -> assertThat(mine).isSorted());
        List<Long> all = firsts.stream().flatMap(List::stream).sorted().toList();
        for (int i = 0; i < all.size(); i++) {
            assertThat(all.get(i)).isEqualTo(1 + 7L * i);
        }
        assertThat(all).hasSize(THREADS * each);
    }

    @Test
    void aRowThatMakesNoSenseIsRefusedByItsCodeAndServedOnceItIsRight() {
        List<Row> nonsense = List.of(
                new Row(code, 1L, 0, "", 0),
                new Row(code, 1L, -5, "", 0),
                new Row(code, 1L, null, "", 0),
                new Row(code, null, 10, "", 0),
                new Row(code, -1L, 10, "", 0));
        for (Row row : nonsense) {
            put(row);
            for (Runnable call : List.<Runnable>of(() -> store().config(code), () -> store().take(code))) {
                assertThatThrownBy(call::run)
                        .as("%s", row)
                        .isInstanceOf(MisconfiguredCodeException.class)
                        .hasMessageContaining("Code " + code + " ");
            }
        }
        put(5, 10);
        assertThat(store().take(code).first()).isEqualTo(5);
    }

    @Test
    void aCodeIsUsedUpWhereTheNextSegmentWouldLeaveTheLongs() {
        put(Long.MAX_VALUE - 20, 15);
        assertThat(store().take(code).range().last()).isEqualTo(Long.MAX_VALUE - 6);
        assertThatThrownBy(() -> store().take(code))
                .isInstanceOf(RangeExhaustedException.class)
                .hasMessageContaining("Code " + code + " ");
        assertThat(store().raiseTo(code, -1)).isEqualTo(Long.MAX_VALUE - 5);
    }

    @Test
    void aThresholdIsRaisedAboveTheFloorAndNeverLowered() {
        put(100, 10);
        assertThat(store().raiseTo(code, -1)).isEqualTo(100);
        assertThat(store().raiseTo(code, 99)).isEqualTo(100);
        assertThat(store().raiseTo(code, 100)).isEqualTo(101);
        assertThat(otherStore().raiseTo(code, 5_000)).isEqualTo(5_001);
        assertThat(store().raiseTo(code, 3)).isEqualTo(5_001);
        assertThat(store().take(code).first()).isEqualTo(5_001);
        assertThatThrownBy(() -> store().raiseTo(code, Long.MAX_VALUE)).isInstanceOf(RangeExhaustedException.class);
        assertThat(store().take(code).first()).isEqualTo(5_011);
    }
}
