package dev.tenon.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.BackendUnavailableException;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeDefinition;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class SequenceGeneratorTest {
    private final TableRanges store = new TableRanges();
    private final SequenceGenerator ids = SequenceGenerator.create(store, "n");

    @Test
    void isContiguousOverGenerators() {
        SequenceGenerator other = SequenceGenerator.create(store, "n");
        for (int i = 1; i < 100; i += 2) {
            assertThat(ids.nextId()).isEqualTo(i);
            assertThat(other.nextId()).isEqualTo(i + 1);
        }
        long[] batch = new long[50];
        ids.fill(batch);
        assertThat(batch).startsWith(101).endsWith(150);
        assertThat(store.counts()).as("one call").hasSize(101);
        assertThat(other.nextId()).isEqualTo(151);
    }

    @Test
    void isContiguousUnderEightThreads() throws Exception {
        List<long[]> taken = SnowflakeGeneratorTest.onEightThreads(thread -> {
            long[] mine = new long[500];
            for (int i = 0; i < mine.length; i++) {
                mine[i] = ids.nextId();
            }
            return mine;
        });
        for (long[] mine : taken) {
            assertThat(mine).isSorted().doesNotHaveDuplicates();
        }
        long[] all = taken.stream().flatMapToLong(Arrays::stream).sorted().toArray();
        assertThat(all[0]).isEqualTo(1);
        assertThat(all[all.length - 1]).isEqualTo(4000);
        assertThat(Arrays.stream(all).distinct()).hasSize(4000);
    }

    @Test
    void passesOnWhatTheStoreThrowsAndAsksAgain() {
        store.failWith(() -> new BackendUnavailableException("away"));
        assertThatThrownBy(ids::nextId).isInstanceOf(BackendUnavailableException.class);
        store.failWith(null);
        assertThat(ids.nextId()).isEqualTo(1);
    }

    @Test
    void refusesANumberThatWentBackUntilTheSequenceIsRaised() {
        assertThat(ids.highestSeen()).isEmpty();
        ids.fill(new long[10]);
        assertThat(ids.highestSeen()).hasValue(10);
        store.rollBack();
        assertThatThrownBy(ids::nextId)
                .isInstanceOf(SequenceRegressedException.class)
                .hasMessageContaining("gave 1 after 10");
        assertThat(ids.regression()).isPresent();
        for (int i = 0; i < 20; i++) {
            assertThatThrownBy(() -> ids.fill(new long[5]))
                    .as("it does not take its way through the numbers that it has issued")
                    .isInstanceOf(SequenceRegressedException.class)
                    .hasMessageContaining("would give 2 after 10");
        }
        store.raiseTo("n", ids.highestSeen().getAsLong());
        assertThat(ids.regression()).as("until something has come").isPresent();
        assertThat(ids.nextId()).isEqualTo(11);
        assertThat(ids.regression()).isEmpty();
    }

    @Test
    void takesRanges() {
        assertThat(ids.nextRange(5)).isEqualTo(new IdRange(1, 5, 1));
        assertThat(ids.nextRange(1)).isEqualTo(new IdRange(6, 1, 1));
        assertThat(store.counts()).containsExactly(5L, 1L);
        assertThatThrownBy(() -> ids.nextRange(0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void endsAtTheMaxOfItsDefinition() {
        store.define("n", new RangeDefinition(10, 10, 50));
        assertThat(ids.nextId()).isEqualTo(10);
        assertThatThrownBy(() -> ids.fill(new long[5])).isInstanceOf(RangeExhaustedException.class);
        assertThatThrownBy(ids::nextId).isInstanceOf(RangeExhaustedException.class);
        assertThatThrownBy(() -> SequenceGenerator.create(store, "a\nb")).isInstanceOf(IllegalArgumentException.class);
    }
}
