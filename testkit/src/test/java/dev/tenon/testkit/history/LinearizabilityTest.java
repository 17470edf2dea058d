package dev.tenon.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.lock.spi.LockMode;
import dev.tenon.testkit.history.Operation.Change;
import dev.tenon.testkit.history.Operation.Entered;
import dev.tenon.testkit.history.Operation.Freed;
import dev.tenon.testkit.history.Operation.Granted;
import dev.tenon.testkit.history.Operation.Left;
import dev.tenon.testkit.history.Operation.Read;
import dev.tenon.testkit.history.Operation.Refused;
import dev.tenon.testkit.history.Operation.Seen;
import dev.tenon.testkit.history.Operation.Written;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Histories that are known to be possible, or not. */
class LinearizabilityTest {
    private final List<Operation> history = new ArrayList<>();

    private LinearizabilityTest then(String process, Change change, long invoked, long returned) {
        history.add(Operation.answered(process, change, invoked, returned));
        return this;
    }

    private LinearizabilityTest perhaps(Change change, long since) {
        history.add(Operation.perhaps("store", change, since));
        return this;
    }

    private static Granted granted(long token) {
        return new Granted(token, LockMode.EXCLUSIVE);
    }

    private boolean holds() {
        return Linearizability.check(new HoldModel(), history).possible();
    }

    private boolean reentrant() {
        return Linearizability.check(new ReentrantModel(), history).possible();
    }

    @Test
    void nothingIsPossible() {
        assertThat(holds()).isTrue();
    }

    @Test
    void holdersOneAfterTheOtherArePossible() {
        then("a", granted(1), 0, 10).then("a", new Freed(1), 20, 30).then("b", granted(2), 25, 40);
        assertThat(holds()).isTrue();
    }

    @Test
    void aSecondHolderBeforeTheFirstGaveBackIsNot() {
        then("a", granted(1), 0, 10).then("b", granted(2), 11, 15).then("a", new Freed(1), 20, 30);
        Linearizability.Verdict verdict = Linearizability.check(new HoldModel(), history);
        assertThat(verdict.possible()).isFalse();
        assertThat(verdict.order()).extracting(Operation::change).containsExactly(granted(1));
        assertThat(verdict.explanation()).contains("process=b", "token=2", "The whole history");
    }

    @Test
    void aReleaseWithoutAnAnswerMayHaveHappenedOrNot() {
        then("a", granted(1), 0, 10).perhaps(new Freed(1), 20).then("b", granted(2), 100, 110);
        assertThat(holds()).isTrue();
        history.remove(2);
        assertThat(holds()).isTrue();
        then("b", granted(2), 11, 19);
        assertThat(holds()).isFalse();
    }

    @Test
    void aLeaseEndsWhenItIsOverAndNotBefore() {
        then("a", granted(1), 0, 10).perhaps(new Freed(1), 50).then("a", new Freed(1), 90, 95);
        then("b", granted(2), 40, 60);
        assertThat(holds()).isTrue();
        history.remove(3);
        then("b", granted(2), 40, 49);
        assertThat(holds()).isFalse();
    }

    @Test
    void tokensIncreaseInTheOrderOfTheGrants() {
        then("a", granted(2), 0, 10).then("a", new Freed(2), 20, 30).then("b", granted(1), 31, 40);
        assertThat(holds()).isFalse();
        history.clear();
        // Answered the wrong way round, granted the right way round.
        then("a", granted(2), 0, 100).then("b", granted(1), 5, 200).then("b", new Freed(1), 210, 250);
        assertThat(holds()).isFalse();
        history.clear();
        then("a", granted(2), 0, 100).then("b", granted(1), 5, 50).then("b", new Freed(1), 60, 70);
        assertThat(holds()).isTrue();
        then("c", granted(2), 300, 310);
        assertThat(holds()).isFalse();
    }

    @Test
    void readersHoldTogetherAndWritersDoNot() {
        then("a", new Granted(1, LockMode.SHARED), 0, 10).then("b", new Granted(2, LockMode.SHARED), 20, 30);
        then("c", new Granted(3, LockMode.UPDATE), 40, 50);
        assertThat(holds()).isTrue();
        then("d", new Granted(4, LockMode.UPDATE), 60, 70);
        assertThat(holds()).isFalse();
        history.remove(3);
        then("d", granted(4), 60, 70);
        assertThat(holds()).isFalse();
        then("a", new Freed(1), 60, 61).then("b", new Freed(2), 60, 61).then("c", new Freed(3), 60, 69);
        assertThat(holds()).isTrue();
    }

    @Test
    void permitsAreNotGivenTwice() {
        then("a", new Granted(1, LockMode.permits(2, 3)), 0, 10);
        then("b", new Granted(2, LockMode.permits(1, 3)), 0, 10);
        assertThat(holds()).isTrue();
        then("c", new Granted(3, LockMode.permits(1, 3)), 20, 30);
        assertThat(holds()).isFalse();
        perhaps(new Freed(2), 5);
        assertThat(holds()).isTrue();
    }

    @Test
    void onlyItsOwnerEntersTwice() {
        then("a", new Entered(), 0, 10).then("a", new Entered(), 11, 12).then("a", new Left(), 20, 21);
        assertThat(reentrant()).isTrue();
        then("b", new Entered(), 22, 23);
        assertThat(reentrant()).isFalse();
        then("a", new Left(), 22, 30);
        assertThat(reentrant()).isTrue();
        then("a", new Left(), 40, 41);
        assertThat(reentrant()).isFalse();
    }

    /**
     * A real lock's history with overlapping calls, lost replies and lapsed leases, found possible; with one wrong
     * grant, not.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aLongHistoryIsPossibleAndOnePlantedGrantIsFound(long seed) {
        Random random = new Random(seed);
        long now = 0;
        for (int token = 1; token <= 300; token++) {
            long from = now + random.nextInt(5);
            long to = from + 10 + random.nextInt(30);
            then("p" + token % 7, granted(token * 2L), from - random.nextInt(300), from + random.nextInt(10));
            switch (random.nextInt(3)) {
                case 0 -> perhaps(new Freed(token * 2L), to);
                case 1 -> perhaps(new Freed(token * 2L), to).then("p", new Freed(token * 2L), to + 20, to + 300);
                default -> then("p", new Freed(token * 2L), to - random.nextInt(5), to + random.nextInt(50));
            }
            now = to;
        }
        Collections.shuffle(history, random);
        assertThat(holds()).isTrue();
        Operation some = history.stream()
                .filter(o -> o.change().equals(granted(600)))
                .findFirst()
                .orElseThrow();
        then("thief", granted(601), some.returned() + 1, some.returned() + 2);
        assertThat(holds()).isFalse();
    }

    @Test
    void operationsCrossProcessesAsLines() {
        History here = new History();
        then("a", new Granted(1, LockMode.permits(1, 3)), 0, 10).then("b", new Entered(), 1, 2);
        then("b", new Left(), 3, 4).then("a", new Freed(1), 20, 30).perhaps(new Freed(1), 40);
        history.forEach(operation -> here.add(History.line("x", operation)));
        here.add("ready");
        assertThat(here.byLock().get("x")).containsExactlyElementsOf(history);
        assertThat(here.grants()).isEqualTo(2);
        history.clear();
        here.add("y", Operation.answered("a", granted(1), 0, 10));
        here.add("y", Operation.answered("b", granted(2), 20, 30));
        assertThatThrownBy(() -> here.mustBePossible(new HoldModel()))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("is impossible");
    }

    @Test
    void whatCannotHaveHappenedSoIsRefused() {
        assertThatThrownBy(() -> Operation.answered("a", new Left(), 10, 9))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Operation("a", new Left(), 10, Operation.NEVER, true))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void whoLooksSeesWhoHoldsAndNotWhoHeldBefore() {
        then("a", granted(1), 0, 10).then("c", new Seen(Set.of(1L)), 5, 20).then("a", new Freed(1), 15, 30);
        then("c", new Seen(Set.of()), 16, 40).then("b", granted(2), 41, 50).then("c", new Seen(Set.of(2L)), 51, 60);
        assertThat(holds()).isTrue();
        then("d", new Seen(Set.of(1L)), 52, 61);
        assertThat(holds()).as("a stale read").isFalse();
    }

    @Test
    void aHoldThatNobodyWasToldOfMayBeSeen() {
        then("a", granted(1), 0, 10).then("a", new Freed(1), 20, 30).then("c", new Seen(Set.of(5L)), 40, 50);
        assertThat(holds()).isFalse();
        perhaps(granted(5), 35).perhaps(new Freed(5), 35).then("b", granted(7), 60, 70);
        assertThat(holds()).isTrue();
    }

    private boolean register() {
        return Linearizability.check(new RegisterModel(1), history).possible();
    }

    @Test
    void aRegisterIsWrittenByWhoHasReadItLast() {
        then("a", new Read(1, ""), 0, 10).then("b", new Written(1, "x"), 11, 20).then("a", new Refused(1), 12, 30);
        then("a", new Read(2, "x"), 31, 40);
        assertThat(register()).isTrue();
        then("c", new Read(1, ""), 32, 41);
        assertThat(register()).as("a stale read").isFalse();
    }

    @Test
    void ofTwoWhoHaveReadTheSameOneWrites() {
        then("a", new Written(1, "x"), 0, 10).then("b", new Written(1, "y"), 1, 11);
        assertThat(register()).isFalse();
    }

    @Test
    void aWriteWithoutAnAnswerMayBeRead() {
        perhaps(new Written(1, "x"), 0).then("b", new Read(1, ""), 10, 20).then("b", new Read(2, "x"), 21, 30);
        assertThat(register()).isTrue();
        then("b", new Written(1, "y"), 31, 40);
        assertThat(register()).as("an answer that was lost").isFalse();
    }

    @Test
    void aHistoryIsTheSameAsLinesOfText() {
        History told = new History();
        History heard = new History();
        List<Change> changes = List.of(
                new Seen(Set.of(1L, 2L)),
                new Seen(Set.of()),
                new Written(3, "v"),
                new Refused(3),
                new Read(1, ""),
                new Read(4, "v"),
                granted(9),
                new Freed(9),
                new Entered(),
                new Left());
        for (Change change : changes) {
            Operation operation = Operation.answered("p", change, 1, 2);
            told.add("x", operation);
            heard.add(History.line("x", operation));
        }
        assertThat(heard.byLock()).isEqualTo(told.byLock());
    }
}
