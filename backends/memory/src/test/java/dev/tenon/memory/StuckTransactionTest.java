package dev.tenon.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.ManualClock;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.BranchState;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Reply;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.StuckAfter;
import dev.tenon.tx.TransactionConflictException;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionOutcome;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.UnknownTransactionException;
import dev.tenon.tx.engine.TransactionEngine;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is called for ever is told, once, and can be given up. */
class StuckTransactionTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int CALLS = 4;
    private static final Duration TIME = Duration.ofHours(3);

    private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final MemoryBackend backend = MemoryBackend.on(clock);
    private final TransactionOptions options =
            TransactionOptions.DEFAULT.withTime(clock).withService("shop").withStuckAfter(new StuckAfter(CALLS, TIME));
    private final List<Operation> calls = new CopyOnWriteArrayList<>();
    private volatile Participant participant = call -> {
        throw new IllegalStateException("bank is broken");
    };
    private final Transactions tx = over();
    private final Logger logger = Logger.getLogger(Transactions.class.getName());
    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            warnings.add(new SimpleFormatter().formatMessage(line));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };
    private final List<Transactions> opened = new ArrayList<>(List.of(tx));

    private Transactions over() {
        return TransactionEngine.over(backend.transactions(), target -> Optional.of(this::answer), options);
    }

    private Reply answer(BranchCall call) throws Exception {
        calls.add(call.operation());
        return participant.call(call);
    }

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
    }

    @AfterEach
    void close() {
        logger.removeHandler(handler);
        opened.forEach(Transactions::close);
        backend.close();
    }

    @ParameterizedTest
    @EnumSource(
            value = TransactionKind.class,
            names = {"TCC", "MESSAGE", "XA", "AT"})
    void aCommitThatIsCalledForEverIsReportedAfterSoManyCallsAndGoesOn(TransactionKind kind) {
        Operation operation = kind == TransactionKind.MESSAGE ? Operation.DELIVER : Operation.CONFIRM;
        TransactionId gid = open(kind, operation);
        tx.commit(gid);
        for (int call = 1; call < CALLS; call++) {
            TransactionRecord failing = afterCalls(gid, call);
            assertThat(failing.progress().trouble()).isPresent();
            assertThat(failing.stuckAt()).isEmpty();
            assertThat(stuck()).isEmpty();
        }
        TransactionRecord reported = afterCalls(gid, CALLS);
        assertThat(reported.state()).isEqualTo(TransactionState.COMMITTING);
        assertThat(reported.suspended()).isEmpty();
        assertThat(stuck()).containsExactly(gid);
        assertThat(tx.history(gid)).hasSize(1);
        assertThat(tx.history(gid).get(0).what()).isEqualTo("stuck");
        assertThat(tx.history(gid).get(0).detail()).isEqualTo("bank after 4 calls: bank is broken");
        afterCalls(gid, CALLS + 3);
        assertThat(tx.history(gid)).hasSize(1);
        assertThat(warnings)
                .singleElement()
                .asString()
                .contains(gid.text(), kind.text(), "COMMITTING", "bank after 4 calls: bank is broken", "tenon tx show");

        participant = call -> Reply.done();
        assertThat(untilFinal(gid).state()).isEqualTo(TransactionState.COMMITTED);
        assertThat(stuck()).isEmpty();
        assertThat(backend.transactions().find(gid).orElseThrow().progress().trouble())
                .isEmpty();
    }

    @Test
    void aNotificationThatNobodyTakesIsReportedBeforeItIsGivenUp() {
        TransactionId gid = new TransactionId("t");
        tx.begin(draft(
                gid,
                TransactionKind.NOTIFY,
                TransactionState.ACTIVE,
                Map.of(Operation.NOTIFY, "bank"),
                RetryPolicy.FOR_EVER));
        afterCalls(gid, CALLS);
        assertThat(stuck()).containsExactly(gid);
        assertThat(warnings).hasSize(1);
    }

    @Test
    void whatIsCalledRarelyIsReportedWhenItsTimeIsOver() {
        RetryPolicy rarely = new RetryPolicy(Duration.ofHours(24), 1, Duration.ofHours(24), OptionalInt.empty());
        TransactionId gid = open(TransactionKind.TCC, Operation.CONFIRM, rarely);
        tx.commit(gid);
        untilFree(gid, 1);
        clock.advance(TIME.minusSeconds(1));
        tx.runOnce();
        assertThat(stuck()).isEmpty();
        clock.advance(Duration.ofSeconds(1));
        tx.runOnce();
        assertThat(stuck()).containsExactly(gid);
        assertThat(calls).hasSize(1);
        assertThat(warnings).hasSize(1);
    }

    @Test
    void aParticipantThatWorksOnIsNotStuckBeforeTheDeadline() {
        participant = call -> Reply.notYet("three of ten signatures");
        TransactionId gid = new TransactionId("t");
        tx.begin(draft(
                gid,
                TransactionKind.SAGA,
                TransactionState.ACTIVE,
                Map.of(Operation.ACTION, "bank", Operation.COMPENSATE, "bank"),
                RetryPolicy.FOR_EVER));
        afterCalls(gid, CALLS + 2);
        assertThat(backend.transactions().find(gid).orElseThrow().progress().trouble())
                .isEmpty();
        assertThat(warnings).isEmpty();
        clock.advance(Duration.ofDays(2));
        tx.runOnce();
        int undoing = calls.size();
        assertThat(calls).contains(Operation.COMPENSATE);
        afterCalls(gid, undoing + CALLS);
        assertThat(stuck()).containsExactly(gid);
    }

    @Test
    void theTimeBeginsAnewWhenACallHasGotThrough() {
        TransactionId gid = new TransactionId("t");
        participant = call -> {
            if (call.branch().equals("b")) {
                throw new IllegalStateException("b is broken");
            }
            return call.attempt() < CALLS ? Reply.notYet("wait") : Reply.done();
        };
        BranchRecord a =
                BranchRecord.planned("a", Map.of(Operation.ACTION, "a"), "").asPivot();
        BranchRecord b =
                BranchRecord.planned("b", Map.of(Operation.ACTION, "b"), "").after(List.of("a"));
        tx.begin(draft(gid, TransactionKind.SAGA, TransactionState.COMMITTING, Map.of(), RetryPolicy.FOR_EVER)
                .withBranches(List.of(a, b)));
        afterCalls(gid, CALLS);
        assertThat(stuck()).isEmpty();
        TransactionRecord failing = afterCalls(gid, CALLS + 1);
        assertThat(failing.branch("b").orElseThrow().attempts()).isEqualTo(1);
        assertThat(stuck()).isEmpty();
        afterCalls(gid, 2 * CALLS);
        assertThat(stuck()).containsExactly(gid);
    }

    @Test
    void aProcessThatTakesOverTellsNothingAnew() throws InterruptedException {
        TransactionId gid = open(TransactionKind.TCC, Operation.CONFIRM);
        tx.commit(gid);
        TransactionRecord reported = afterCalls(gid, CALLS);
        CountDownLatch called = new CountDownLatch(1);
        participant = call -> {
            called.countDown();
            new CountDownLatch(1).await(); // until the process dies
            return Reply.done();
        };
        clock.advance(RetryPolicy.FOR_EVER.cap());
        Thread dies = new Thread(tx::runOnce);
        dies.start();
        called.await();
        TransactionRecord left = backend.transactions().find(gid).orElseThrow();
        assertThat(left.branches().get(0).dueAt()).isEmpty();
        assertThat(left.progress().trouble()).isEqualTo(reported.progress().trouble());

        participant = call -> {
            throw new IllegalStateException("bank is broken");
        };
        clock.advance(options.claim().plusSeconds(1));
        Transactions next = over();
        opened.add(next);
        next.runOnce();
        assertThat(backend.transactions().find(gid).orElseThrow().progress().trouble())
                .isEqualTo(reported.progress().trouble());
        assertThat(next.history(gid)).hasSize(1);
        assertThat(warnings).hasSize(1);
        tx.close();
        dies.join();
    }

    @Test
    void anOperatorsRetryBeginsAnew() {
        TransactionId gid = open(TransactionKind.TCC, Operation.CONFIRM);
        tx.commit(gid);
        afterCalls(gid, CALLS);
        tx.retry(gid, "ann");
        TransactionRecord failing = afterCalls(gid, CALLS + 1);
        assertThat(failing.progress().trouble()).isPresent();
        assertThat(stuck()).isEmpty();
        afterCalls(gid, 2 * CALLS);
        assertThat(stuck()).containsExactly(gid);
        assertThat(warnings).hasSize(2);
    }

    @Test
    void whatIsSuspendedIsToldInTheLogOnce() {
        participant = call -> Reply.refused("no such account");
        TransactionId gid = open(TransactionKind.TCC, Operation.CONFIRM);
        tx.commit(gid);
        assertThat(untilFree(gid, 1).suspended()).isPresent();
        assertThat(stuck()).containsExactly(gid);
        tx.runOnce();
        assertThat(warnings)
                .singleElement()
                .asString()
                .contains("waits for an operator", "no such account", "tenon tx retry t");
    }

    @Test
    void anAbortThatIsRefusedIsClosedAsItIs() {
        participant = call -> switch (call.operation()) {
            case COMPENSATE -> Reply.refused("already shipped");
            default -> call.branch().equals("b") ? Reply.refused("no such card") : Reply.done();
        };
        TransactionId gid = new TransactionId("t");
        tx.begin(saga(gid));
        TransactionRecord refused = untilFinal(gid);
        assertThat(refused.state()).isEqualTo(TransactionState.ABORTING);
        assertThat(refused.suspended()).contains("a: refused: already shipped");
        assertThat(stuck()).containsExactly(gid);
        tx.closeAsIs(gid, "bob", "the customer keeps it");
        assertThat(tx.outcome(gid)).isEqualTo(new TransactionOutcome.Closed("closed by bob: the customer keeps it"));
        assertThat(tx.history(gid).get(tx.history(gid).size() - 1).detail())
                .isEqualTo("it was ABORTING; a STUCK (refused: already shipped); b REFUSED (refused: no such card)");
        assertThat(stuck()).isEmpty();
    }

    @Test
    void whatHasEndedOrIsUnknownOrHasNoReasonIsNotClosed() {
        participant = call -> Reply.done();
        TransactionId gid = new TransactionId("t");
        tx.begin(saga(gid));
        untilFinal(gid);
        assertThatThrownBy(() -> tx.closeAsIs(gid, "bob", "why"))
                .isInstanceOf(TransactionConflictException.class)
                .hasMessageContaining("COMMITTED");
        assertThatThrownBy(() -> tx.closeAsIs(gid, "bob", "  "))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Say why");
        assertThatThrownBy(() -> tx.closeAsIs(new TransactionId("never"), "bob", "why"))
                .isInstanceOf(UnknownTransactionException.class);
    }

    private static TransactionDraft saga(TransactionId gid) {
        BranchRecord a = BranchRecord.planned("a", Map.of(Operation.ACTION, "a", Operation.COMPENSATE, "a"), "");
        BranchRecord b = BranchRecord.planned("b", Map.of(Operation.ACTION, "b", Operation.COMPENSATE, "b"), "")
                .after(List.of("a"));
        return draft(gid, TransactionKind.SAGA, TransactionState.ACTIVE, Map.of(), RetryPolicy.FOR_EVER)
                .withBranches(List.of(a, b));
    }

    @Test
    void aClosedOneIsFinalAndSaysWhoWhyAndWhatIsLeft() throws InterruptedException {
        TransactionId gid = open(TransactionKind.TCC, Operation.CONFIRM);
        assertThatThrownBy(() -> tx.closeAsIs(gid, "bob", "why"))
                .isInstanceOf(TransactionConflictException.class)
                .hasMessageContaining("abort or suspend it first");
        tx.commit(gid);
        afterCalls(gid, CALLS);
        TransactionRecord closed = tx.closeAsIs(gid, "bob", "booked by hand");
        assertThat(closed.state()).isEqualTo(TransactionState.CLOSED);
        assertThat(closed.suspended()).contains("closed by bob: booked by hand");
        assertThat(closed.progress().endedAt()).isPresent();
        assertThat(closed.progress().trouble()).isEmpty();
        assertThat(stuck()).isEmpty();
        assertThat(tx.outcome(gid)).isEqualTo(new TransactionOutcome.Closed("closed by bob: booked by hand"));
        assertThat(tx.history(gid).stream().map(TransactionEvent::what)).containsExactly("stuck", "closed", "left");
        assertThat(tx.history(gid).get(2).detail()).isEqualTo("it was COMMITTING; bank DONE (bank is broken)");
        assertThat(tx.await(gid, PATIENCE).state()).isEqualTo(TransactionState.CLOSED);

        int made = calls.size();
        clock.advance(Duration.ofDays(1));
        tx.runOnce();
        assertThat(calls).hasSize(made);
        assertThat(tx.closeAsIs(gid, "eve", "again")).isEqualTo(closed);
        assertThat(tx.retry(gid, "eve")).isEqualTo(closed);
        assertThat(tx.suspend(gid, "eve", "x").suspended()).isEqualTo(closed.suspended());
        assertThat(tx.resume(gid, "eve").state()).isEqualTo(TransactionState.CLOSED);
        assertThatThrownBy(() -> tx.commit(gid)).isInstanceOf(TransactionConflictException.class);
        assertThatThrownBy(() -> tx.abort(gid, "eve", "")).isInstanceOf(TransactionConflictException.class);
        clock.advance(options.retention());
        assertThat(tx.purge()).isEqualTo(1);
    }

    @Test
    void anAnswerThatComesAfterTheCloseChangesNothing() throws InterruptedException {
        CountDownLatch called = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        participant = call -> {
            called.countDown();
            go.await();
            return Reply.done();
        };
        TransactionId gid = open(TransactionKind.TCC, Operation.CONFIRM);
        tx.commit(gid);
        called.await();
        TransactionRecord closed = tx.closeAsIs(gid, "bob", "booked by hand");
        go.countDown();
        tx.close();
        assertThat(backend.transactions().find(gid)).contains(closed);
    }

    private TransactionId open(TransactionKind kind, Operation operation) {
        return open(kind, operation, RetryPolicy.FOR_EVER);
    }

    private TransactionId open(TransactionKind kind, Operation operation, RetryPolicy retry) {
        TransactionId gid = new TransactionId("t");
        Map<Operation, String> targets = operation == Operation.DELIVER
                ? Map.of(operation, "bank")
                : Map.of(operation, "bank", Operation.CANCEL, "bank");
        TransactionDraft draft = draft(gid, kind, TransactionState.ACTIVE, targets, retry);
        tx.open(
                operation == Operation.DELIVER
                        ? draft
                        : draft.withBranches(List.of(draft.branches().get(0).in(BranchState.CALLED))));
        return gid;
    }

    private static TransactionDraft draft(
            TransactionId gid,
            TransactionKind kind,
            TransactionState state,
            Map<Operation, String> targets,
            RetryPolicy retry) {
        return new TransactionDraft(
                gid,
                kind,
                "shop",
                "order/1",
                "",
                Optional.empty(),
                state,
                Duration.ofDays(1),
                retry,
                List.of(BranchRecord.planned("bank", targets, "")));
    }

    private List<TransactionId> stuck() {
        return tx.list(TransactionFilter.ALL.thatAreStuck(), "", 10).transactions().stream()
                .map(TransactionRecord::gid)
                .toList();
    }

    /** Lets pauses pass until so many calls were made, and nobody drives it. */
    private TransactionRecord afterCalls(TransactionId gid, int made) {
        return Awaitility.await()
                .atMost(PATIENCE)
                .until(
                        () -> step(gid, made),
                        record -> calls.size() >= made
                                && record.progress().owner().isEmpty());
    }

    private TransactionRecord step(TransactionId gid, int made) {
        TransactionRecord record = backend.transactions().find(gid).orElseThrow();
        if (record.progress().owner().isEmpty() && calls.size() < made) {
            clock.advance(RetryPolicy.FOR_EVER.cap());
            tx.runOnce();
        }
        return backend.transactions().find(gid).orElseThrow();
    }

    private TransactionRecord untilFree(TransactionId gid, int made) {
        return Awaitility.await()
                .atMost(PATIENCE)
                .until(
                        () -> backend.transactions().find(gid).orElseThrow(),
                        record -> calls.size() >= made
                                && record.progress().owner().isEmpty());
    }

    private TransactionRecord untilFinal(TransactionId gid) {
        return Awaitility.await()
                .atMost(PATIENCE)
                .until(
                        () -> step(gid, Integer.MAX_VALUE),
                        record -> record.state().isFinal() || record.suspended().isPresent());
    }
}
