package dev.tenon.tx.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.ManualClock;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.BranchState;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Reply;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionConflictException;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.saga.SagaProtocol;
import dev.tenon.tx.spi.TransactionMachine;
import dev.tenon.tx.spi.TransactionTable;
import dev.tenon.tx.tcc.TccProtocol;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a driver does when something goes wrong at a chosen moment. */
class TransactionDriverTest {
    private static final TransactionId GID = new TransactionId("t");
    private static final Duration CLAIM = TransactionOptions.DEFAULT.claim();

    private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final TransactionTable table = new TransactionTable();
    private final List<String> calls = new ArrayList<>();
    private final Map<String, Function<BranchCall, @Nullable Reply>> answers = new HashMap<>();
    private final SimulatedProcess alice = process("alice");
    private final SimulatedProcess bob = process("bob");

    @Test
    void aStepThatHasUsedUpItsCallsTurnsTheSagaBackByItself() {
        begin(TransactionKind.SAGA, step("a"), step("b").after(List.of("a")));
        fail("action b");
        passes(10);
        assertThat(calls)
                .containsExactly("action a", "action b", "action b", "action b", "compensate b", "compensate a");
        assertThat(found().state()).isEqualTo(TransactionState.ABORTED);
    }

    @Test
    void aTryThatHasUsedUpItsCallsIsCancelledByItself() {
        begin(TransactionKind.TCC, tcc("a"), tcc("b"));
        fail("try b");
        passes(10);
        assertThat(calls).endsWith("cancel a", "cancel b");
        assertThat(found().state()).isEqualTo(TransactionState.ABORTED);
    }

    @Test
    void whatHasUsedUpItsCallsAfterTheDecisionWaitsForAnOperatorAndThenGoesOn() {
        begin(TransactionKind.TCC, tcc("a"), tcc("b"));
        fail("confirm a");
        passes(10);
        assertThat(found().state()).isEqualTo(TransactionState.COMMITTING);
        assertThat(found().suspended().orElseThrow()).contains("a:").contains("broken");
        assertThat(table.history(GID)).extracting(TransactionEvent::what).containsExactly("suspended");
        answers.clear();
        outside(TransactionMachine::retried);
        passes(1);
        assertThat(calls).endsWith("confirm a");
        assertThat(found().state()).isEqualTo(TransactionState.COMMITTED);
    }

    @Test
    void aCompensationThatIsRefusedIsNeverCalledASuccess() {
        begin(
                TransactionKind.SAGA,
                step("a"),
                step("b").after(List.of("a")),
                step("c").after(List.of("b")));
        answers.put("action c", call -> Reply.refused("no"));
        answers.put("compensate b", call -> Reply.refused("can't"));
        passes(10);
        assertThat(calls).endsWith("action c", "compensate b");
        assertThat(found().state()).isEqualTo(TransactionState.ABORTING);
        assertThat(found().suspended()).contains("b: refused: can't");
    }

    @Test
    void aStepThatIsRefusedAfterAnAbortFromOutsideHadNoEffect() {
        begin(TransactionKind.SAGA, step("a"));
        answers.put("action a", call -> {
            outside(tx -> Decisions.aborted(tx, new SagaProtocol()));
            return Reply.refused("no");
        });
        passes(1);
        assertThat(found().state()).isEqualTo(TransactionState.ABORTED);
        assertThat(found().branches().get(0).state()).isEqualTo(BranchState.REFUSED);
    }

    @Test
    void aStepThatIsRefusedBesideThePivotWaitsForAnOperator() {
        begin(TransactionKind.SAGA, step("pivot").asPivot(), step("beside"));
        answers.put("action beside", call -> Reply.refused("no"));
        passes(2);
        assertThat(found().state()).isEqualTo(TransactionState.COMMITTING);
        assertThat(found().suspended()).contains("beside: refused: no");
        answers.clear();
        outside(TransactionMachine::retried);
        passes(1);
        assertThat(found().state()).isEqualTo(TransactionState.COMMITTED);
    }

    @Test
    void aPivotOfWhichNobodyKnowsTurnsNothingBack() {
        begin(TransactionKind.SAGA, step("pivot").asPivot());
        fail("action pivot");
        passes(5);
        clock.advance(Duration.ofDays(1));
        outside(tx -> tx.suspendedFor(Optional.empty()));
        passes(5);
        assertThat(found().state()).isEqualTo(TransactionState.ACTIVE);
        assertThat(found().suspended()).isPresent();
        outside(tx -> Decisions.aborted(tx, new SagaProtocol())); // an operator knows
        passes(1);
        assertThat(calls).endsWith("compensate pivot");
        assertThat(found().state()).isEqualTo(TransactionState.ABORTED);
    }

    @Test
    void aPivotThatWasCalledIsNotAbortedFromOutside() {
        begin(TransactionKind.SAGA, step("pivot").asPivot());
        fail("action pivot");
        passes(1);
        assertThatThrownBy(() -> Decisions.aborted(found(), new SagaProtocol()))
                .isInstanceOf(TransactionConflictException.class);
    }

    @Test
    void whatWasNotTriedIsNotCommitted() {
        begin(TransactionKind.TCC, tcc("a"));
        assertThatThrownBy(() -> Decisions.committed(found(), new TccProtocol()))
                .isInstanceOf(TransactionConflictException.class)
                .hasMessageContaining("branch a");
    }

    @Test
    void anAbortFromOutsideReleasesWhatWasSuspendedForItsTrouble() {
        begin(TransactionKind.MESSAGE, branch("check", Operation.CHECK), branch("to", Operation.DELIVER));
        fail("check check");
        clock.advance(Duration.ofHours(2));
        passes(10);
        assertThat(found().suspended()).isPresent();
        outside(tx -> Decisions.aborted(tx, SimulatedProcess.MODES.of(TransactionKind.MESSAGE)));
        passes(1);
        assertThat(found().state()).isEqualTo(TransactionState.ABORTED);
    }

    @Test
    void aBranchIsAddedBeforeTheDecisionAndNeverTakenAway() {
        begin(TransactionKind.TCC, tcc("a"));
        TransactionRecord tx = found();
        assertThatThrownBy(() -> update(tx.withBranches(List.of()))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> update(tx.withBranches(List.of(tcc("b"), tcc("a")))))
                .isInstanceOf(IllegalArgumentException.class);
        TransactionRecord two = update(tx.withBranches(List.of(tcc("a"), tcc("b"))));
        TransactionRecord decided = update(two.in(TransactionState.ABORTING));
        assertThatThrownBy(() -> update(decided.withBranches(List.of(tcc("a"), tcc("b"), tcc("c")))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ABORTING");
    }

    @Test
    void oneThatWasPausedBeyondItsClaimWritesNothing() {
        begin(TransactionKind.SAGA, step("a"), step("b").after(List.of("a")));
        answers.put("action a", call -> {
            if (call.attempt() > 1) {
                return Reply.done("of bob");
            }
            clock.advance(CLAIM.plusMillis(1));
            bob.pass();
            return Reply.done("of alice, late");
        });
        alice.pass();
        assertThat(calls).containsExactly("action a", "action a", "action b");
        assertThat(found().state()).isEqualTo(TransactionState.COMMITTED);
        assertThat(found().results()).containsEntry("a", "of bob");
    }

    @Test
    void oneThatWasPausedAfterItWroteCallsNobody() {
        begin(TransactionKind.SAGA, step("a"));
        alice.afterUpdate(() -> clock.advance(CLAIM));
        alice.pass();
        assertThat(calls).isEmpty();
        bob.pass();
        assertThat(calls).containsExactly("action a");
        assertThat(found().branches().get(0).attempts()).isEqualTo(2);
    }

    @Test
    void anAnswerThatIsNoneIsAFailedCall() {
        begin(TransactionKind.SAGA, step("a"));
        answers.put("action a", call -> null);
        alice.pass();
        assertThat(found().branches().get(0).lastError().orElseThrow()).contains("null");
        answers.put("action a", call -> Reply.done("x".repeat(Reply.RESULT_LENGTH_MAX + 1)));
        passes(1);
        assertThat(found().branches().get(0).lastError().orElseThrow()).contains("10001");
        answers.put("action a", call -> {
            throw new StackOverflowError();
        });
        passes(10);
        assertThat(found().state()).isEqualTo(TransactionState.ABORTED);
    }

    @Test
    void aTargetThatNobodyKnowsWaitsAndSaysSo() {
        begin(TransactionKind.SAGA, BranchRecord.planned("a", Map.of(Operation.ACTION, "nobody"), ""), step("b"));
        alice.pass();
        assertThat(calls).containsExactly("action b");
        assertThat(found().branches().get(0).lastError().orElseThrow()).contains("\"nobody\"");
        assertThat(found().progress().owner()).isEmpty();
    }

    private void begin(TransactionKind kind, BranchRecord... branches) {
        TransactionDraft draft = new TransactionDraft(
                GID,
                kind,
                "shop",
                "",
                "",
                Optional.empty(),
                TransactionState.ACTIVE,
                Duration.ofHours(1),
                new RetryPolicy(Duration.ofSeconds(1), 1, Duration.ofSeconds(1), java.util.OptionalInt.of(3)),
                List.of(branches));
        table.begin(draft, Optional.empty(), Duration.ZERO, clock.now());
    }

    private static BranchRecord step(String name) {
        return branch(name, Operation.ACTION, Operation.COMPENSATE);
    }

    private static BranchRecord tcc(String name) {
        return branch(name, Operation.TRY, Operation.CONFIRM, Operation.CANCEL);
    }

    private static BranchRecord branch(String name, Operation... operations) {
        Map<Operation, String> targets = new EnumMap<>(Operation.class);
        for (Operation operation : operations) {
            targets.put(operation, "x");
        }
        return BranchRecord.planned(name, targets, "");
    }

    private SimulatedProcess process(String name) {
        return new SimulatedProcess(name, table, clock, (process, call) -> {
            String what = call.operation().text() + " " + call.branch();
            calls.add(what);
            return answers.getOrDefault(what, any -> Reply.done()).apply(call);
        });
    }

    private void fail(String what) {
        answers.put(what, call -> {
            throw new IllegalStateException("broken");
        });
    }

    private void passes(int count) {
        for (int i = 0; i < count; i++) {
            clock.advance(Duration.ofSeconds(1));
            alice.pass();
        }
    }

    private TransactionRecord found() {
        return table.find(GID).orElseThrow();
    }

    private void outside(UnaryOperator<TransactionRecord> change) {
        update(Decisions.atOnce(change.apply(found())));
    }

    private TransactionRecord update(TransactionRecord after) {
        return table.update(after, List.of(), clock.now()).orElseThrow();
    }
}
