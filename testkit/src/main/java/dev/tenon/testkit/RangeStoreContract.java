package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.Names;
import dev.tenon.id.DefinitionConflictException;
import dev.tenon.id.RangeExhaustedException;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.id.spi.RangeStore;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What every {@link RangeStore} must do. A backend's test extends it and supplies the store; names are fresh in every
 * test, so that one store may serve them all.
 */
public abstract class RangeStoreContract {
    private static final int THREADS = 8;

    private String name = "";

    /** The store under test, as one process has it. */
    protected abstract RangeStore store();

    /** The same sequences, as another process has them; the same store where there can be no other process. */
    protected RangeStore otherStore() {
        return store();
    }

    /** How many ranges each of eight threads takes at once; fewer where a call is slow. */
    protected int callsPerThread() {
        return 100;
    }

    @BeforeEach
    void chooseName() {
        name = "contract:" + UUID.randomUUID();
    }

    @Test
    void aNameThatWasNeverDefinedCountsFromOne() {
        assertThat(store().definition(name)).isEmpty();
        assertThat(store().next(name, 1)).isEqualTo(new IdRange(1, 1, 1));
        assertThat(otherStore().next(name, 1000)).isEqualTo(new IdRange(2, 1000, 1));
        assertThat(store().next(name, 1)).isEqualTo(new IdRange(1002, 1, 1));
        assertThat(otherStore().definition(name)).contains(RangeDefinition.DEFAULT);
    }

    @Test
    void aDefinitionSetsStartAndStep() {
        RangeDefinition definition = new RangeDefinition(3, 5, 1_000_000);
        store().define(name, definition);
        assertThat(otherStore().definition(name)).contains(definition);
        assertThat(store().next(name, 4)).isEqualTo(new IdRange(3, 4, 5));
        assertThat(otherStore().next(name, 2)).isEqualTo(new IdRange(23, 2, 5));
    }

    @Test
    void countingFromZeroWorks() {
        store().define(name, new RangeDefinition(0, 1, 9));
        assertThat(store().next(name, 3)).isEqualTo(new IdRange(0, 3, 1));
        assertThat(store().next(name, 1)).isEqualTo(new IdRange(3, 1, 1));
    }

    @Test
    void theSameDefinitionAgainChangesNothing() {
        RangeDefinition definition = new RangeDefinition(100, 2, 1000);
        store().define(name, definition);
        store().next(name, 5);
        otherStore().define(name, definition);
        assertThat(store().next(name, 1).first()).isEqualTo(110);
    }

    @Test
    void anotherDefinitionIsRefusedAndChangesNothing() {
        RangeDefinition definition = new RangeDefinition(100, 2, 1000);
        store().define(name, definition);
        for (RangeDefinition other : List.of(
                new RangeDefinition(101, 2, 1000),
                new RangeDefinition(100, 3, 1000),
                new RangeDefinition(100, 2, 1001),
                RangeDefinition.DEFAULT)) {
            assertThatThrownBy(() -> otherStore().define(name, other)).isInstanceOf(DefinitionConflictException.class);
        }
        assertThat(store().definition(name)).contains(definition);
        assertThat(store().next(name, 1)).isEqualTo(new IdRange(100, 1, 2));
    }

    @Test
    void aNameInUseHasTheDefaultDefinition() {
        store().next(name, 1);
        assertThatThrownBy(() -> store().define(name, new RangeDefinition(1, 2, 10)))
                .isInstanceOf(DefinitionConflictException.class);
        store().define(name, RangeDefinition.DEFAULT);
        assertThat(store().next(name, 1).first()).isEqualTo(2);
    }

    @Test
    void theLastRangeIsWhatIsLeft() {
        store().define(name, new RangeDefinition(1, 3, 15)); // 1 4 7 10 13
        assertThat(store().next(name, 3)).isEqualTo(new IdRange(1, 3, 3));
        assertThat(store().next(name, 100)).isEqualTo(new IdRange(10, 2, 3));
        assertExhausted();
        assertThat(store().definition(name)).isPresent();
    }

    @Test
    void aLastRangeThatFitsExactlyIsGivenWhole() {
        store().define(name, new RangeDefinition(7, 1, 9));
        assertThat(store().next(name, 3)).isEqualTo(new IdRange(7, 3, 1));
        assertExhausted();
    }

    @Test
    void aSequenceOfOneNumberHasOne() {
        store().define(name, new RangeDefinition(5, 1000, 5));
        assertThat(store().next(name, IdRange.COUNT_MAX)).isEqualTo(new IdRange(5, 1, 1000));
        assertExhausted();
    }

    @Test
    void theGreatestLongIsTheLastNumber() {
        long start = Long.MAX_VALUE - 5;
        store().define(name, new RangeDefinition(start, 1, Long.MAX_VALUE));
        assertThat(store().next(name, 1)).isEqualTo(new IdRange(start, 1, 1));
        assertThat(store().next(name, 1)).isEqualTo(new IdRange(start + 1, 1, 1));
        assertThat(store().next(name, IdRange.COUNT_MAX)).isEqualTo(new IdRange(start + 2, 4, 1));
        assertExhausted();
    }

    @Test
    void numbersAboveTheIntegersOfADoubleAreExact() {
        long start = (1L << 53) + 1;
        store().define(name, new RangeDefinition(start, 2, Long.MAX_VALUE));
        assertThat(store().next(name, 3)).isEqualTo(new IdRange(start, 3, 2));
        assertThat(store().next(name, 1)).isEqualTo(new IdRange(start + 6, 1, 2));
        assertThat(store().raiseTo(name, (1L << 62) + 1)).isEqualTo((1L << 62) + 3);
    }

    @Test
    void theGreatestRangeOfTheGreatestStepIsExact() {
        store().define(name, new RangeDefinition(0, RangeDefinition.STEP_MAX, Long.MAX_VALUE));
        assertThat(store().next(name, IdRange.COUNT_MAX))
                .isEqualTo(new IdRange(0, IdRange.COUNT_MAX, RangeDefinition.STEP_MAX));
        assertThat(store().next(name, 1).first()).isEqualTo(1L << 62);
    }

    @Test
    void raisingSkipsNumbers() {
        store().define(name, new RangeDefinition(1, 10, 1000)); // 1 11 21 …
        store().next(name, 2);
        assertThat(store().raiseTo(name, 40)).isEqualTo(41);
        assertThat(otherStore().next(name, 1).first()).isEqualTo(41);
        assertThat(store().raiseTo(name, 61)).as("greater than the floor").isEqualTo(71);
        assertThat(otherStore().next(name, 1).first()).isEqualTo(71);
    }

    @Test
    void raisingNeverLowers() {
        store().next(name, 100);
        for (long floor : new long[] {Long.MIN_VALUE, -1, 0, 1, 99, 100}) {
            assertThat(store().raiseTo(name, floor)).isEqualTo(101);
        }
        assertThat(otherStore().next(name, 1).first()).isEqualTo(101);
    }

    @Test
    void raisingANameThatWasNeverDefinedBeginsIt() {
        assertThat(store().raiseTo(name, 0)).isEqualTo(1);
        assertThat(store().raiseTo(name, 5000)).isEqualTo(5001);
        assertThat(store().definition(name)).contains(RangeDefinition.DEFAULT);
        assertThat(store().next(name, 1).first()).isEqualTo(5001);
    }

    @Test
    void raisingAboveEveryNumberUsesTheSequenceUp() {
        store().define(name, new RangeDefinition(1, 1, 10));
        assertThatThrownBy(() -> store().raiseTo(name, 10)).isInstanceOf(RangeExhaustedException.class);
        assertExhausted();
        assertThatThrownBy(() -> store().raiseTo(name, 3)).isInstanceOf(RangeExhaustedException.class);

        String endless = name + ":endless";
        store().next(endless, 1);
        assertThat(store().raiseTo(endless, Long.MAX_VALUE - 1)).isEqualTo(Long.MAX_VALUE);
        assertThatThrownBy(() -> store().raiseTo(endless, Long.MAX_VALUE)).isInstanceOf(RangeExhaustedException.class);
    }

    @Test
    void namesAreToldApartExactly() {
        List<String> names = List.of(
                name + "a",
                name + "A",
                name + "a ",
                name + "á",
                name + "a%",
                name + "a_",
                name + "\uD83D\uDE00",
                "\u4E2D".repeat(Names.LENGTH_MAX - name.length()) + name,
                name + "'; drop --",
                name + "{a}:*?[");
        for (int i = 0; i < names.size(); i++) {
            assertThat(store().next(names.get(i), i + 1).first())
                    .as(names.get(i))
                    .isEqualTo(1);
        }
        for (int i = 0; i < names.size(); i++) {
            assertThat(otherStore().next(names.get(i), 1).first())
                    .as(names.get(i))
                    .isEqualTo(i + 2);
        }
    }

    @Test
    void badArgumentsAreRefusedAndTakeNothing() {
        for (long count : new long[] {0, -1, Long.MIN_VALUE, IdRange.COUNT_MAX + 1, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> store().next(name, count)).isInstanceOf(IllegalArgumentException.class);
        }
        for (String bad : List.of("", "a\nb", "a\u0000", "x".repeat(Names.LENGTH_MAX + 1), "\uD83D")) {
            assertThatThrownBy(() -> store().next(bad, 1)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> store().raiseTo(bad, 1)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> store().definition(bad)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> store().define(bad, RangeDefinition.DEFAULT))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(store().definition(name)).isEmpty();
        assertThat(store().next(name, 1).first()).isEqualTo(1);
    }

    @Test
    void noNumberIsGivenTwiceToEightThreadsAndNoneIsLeftOut() {
        store().define(name, new RangeDefinition(10, 3, Long.MAX_VALUE));
        List<IdRange> all = new ArrayList<>();
        for (List<IdRange> mine : Concurrently.on(THREADS, this::takeRanges)) {
            for (int i = 1; i < mine.size(); i++) {
                assertThat(mine.get(i).first()).isGreaterThan(mine.get(i - 1).last());
            }
            all.addAll(mine);
        }
        assertThat(all).hasSize(THREADS * callsPerThread());
        all.sort(Comparator.comparingLong(IdRange::first));
        long next = 10;
        for (IdRange range : all) {
            assertThat(range.first()).isEqualTo(next);
            next = range.last() + 3;
        }
    }

    @Test
    void eightThreadsThatBeginANameShareIt() {
        List<IdRange> firsts = Concurrently.on(THREADS, i -> (i % 2 == 0 ? store() : otherStore()).next(name, 1));
        assertThat(firsts).extracting(IdRange::first).containsExactlyInAnyOrder(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L);
    }

    @Test
    void ofEightDefinitionsAtOnceOneWins() {
        List<Boolean> won = Concurrently.on(THREADS, i -> {
            try {
                (i % 2 == 0 ? store() : otherStore()).define(name, new RangeDefinition(i, 1, 1000));
                return true;
            } catch (DefinitionConflictException e) {
                return false;
            }
        });
        assertThat(won).containsOnlyOnce(true);
        assertThat(store().next(name, 1).first()).isEqualTo(won.indexOf(true));
    }

    private List<IdRange> takeRanges(int thread) {
        RangeStore mine = thread % 2 == 0 ? store() : otherStore();
        List<IdRange> taken = new ArrayList<>();
        for (int i = 0; i < callsPerThread(); i++) {
            taken.add(mine.next(name, ThreadLocalRandom.current().nextInt(1, 50)));
        }
        return taken;
    }

    private void assertExhausted() {
        assertThatThrownBy(() -> store().next(name, 1)).isInstanceOf(RangeExhaustedException.class);
        assertThatThrownBy(() -> otherStore().next(name, IdRange.COUNT_MAX))
                .isInstanceOf(RangeExhaustedException.class);
    }
}
