package dev.tenon.id.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.id.DefinitionConflictException;
import dev.tenon.id.RangeExhaustedException;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeDefinition;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class RangeTableTest {
    @Test
    void givesTheLastNumbersOfALongAndThenNoMore() {
        RangeTable table = new RangeTable();
        table.define("n", new RangeDefinition(Long.MAX_VALUE - 4, 3, Long.MAX_VALUE));

        assertThat(table.next("n", 10)).isEqualTo(new IdRange(Long.MAX_VALUE - 4, 2, 3));
        List<RangeTable.Entry> before = table.export();
        assertThatThrownBy(() -> table.next("n", 1)).isInstanceOf(RangeExhaustedException.class);
        assertThat(table.export()).isEqualTo(before);
    }

    @Test
    void countsFromZeroToTheGreatestLong() {
        RangeTable table = new RangeTable();
        table.define("n", new RangeDefinition(0, 1, Long.MAX_VALUE));

        assertThat(table.next("n", 2)).isEqualTo(new IdRange(0, 2, 1));
        assertThat(table.raiseTo("n", Long.MAX_VALUE - 2)).isEqualTo(Long.MAX_VALUE - 1);
        assertThat(table.next("n", 5)).isEqualTo(new IdRange(Long.MAX_VALUE - 1, 2, 1));
        assertThatThrownBy(() -> table.next("n", 1)).isInstanceOf(RangeExhaustedException.class);
        assertThatThrownBy(() -> table.raiseTo("n", 1)).isInstanceOf(RangeExhaustedException.class);
    }

    @Test
    void aRefusedCallLeavesNoTrace() {
        RangeTable table = new RangeTable();
        assertThatThrownBy(() -> table.next("n", 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> table.next("", 1)).isInstanceOf(IllegalArgumentException.class);
        assertThat(table.definition("n")).isEmpty();
        assertThat(table.export()).isEmpty();

        table.next("n", 1);
        assertThatThrownBy(() -> table.define("n", new RangeDefinition(1, 2, 10)))
                .isInstanceOf(DefinitionConflictException.class)
                .hasMessageContaining("step=1")
                .hasMessageContaining("step=2");
    }

    @Test
    void refusesAnExportThatCannotBe() {
        RangeTable.Entry entry = new RangeTable.Entry("n", RangeDefinition.DEFAULT, 7);
        assertThatThrownBy(() -> RangeTable.of(List.of(entry, entry))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RangeTable.Entry("n", new RangeDefinition(5, 1, 9), 3))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RangeTable.Entry("n", new RangeDefinition(5, 1, 9), 10))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Property
    void takesEveryNumberOnceInOrderThroughExportAndRaise(
            @ForAll @LongRange(min = 0, max = 50) long start,
            @ForAll @LongRange(min = 1, max = 7) long step,
            @ForAll @LongRange(min = 0, max = 300) long length,
            @ForAll List<@IntRange(min = -40, max = 40) Integer> calls) {
        RangeTable table = new RangeTable();
        table.define("n", new RangeDefinition(start, step, start + length));
        long expected = start;
        for (int call : calls) {
            table = RangeTable.of(table.export());
            boolean left = expected <= start + length;
            try {
                if (call > 0) {
                    IdRange range = table.next("n", call);
                    assertThat(range.first()).isEqualTo(expected);
                    assertThat(range.last()).isLessThanOrEqualTo(start + length);
                    assertThat(range.count()).isLessThanOrEqualTo(call);
                    if (range.count() < call) {
                        assertThat(range.last() + step).isGreaterThan(start + length);
                    }
                    expected = range.last() + step;
                } else {
                    long floor = expected + call + 20;
                    while (expected <= floor) {
                        expected += step;
                    }
                    assertThat(table.raiseTo("n", floor)).isEqualTo(expected);
                }
                assertThat(left).isTrue();
            } catch (RangeExhaustedException e) {
                assertThat(!left || expected > start + length).isTrue();
            }
        }
    }
}
