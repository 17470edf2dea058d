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
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionConflictException;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionOutcome;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.UnknownTransactionException;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.spi.TransactionStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Transactions with their threads, over a log and a clock that the test moves. */
class TransactionsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration CLAIM = TransactionOptions.DEFAULT.claim();

    private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final MemoryBackend backend = MemoryBackend.on(clock);
    private final TransactionOptions options =
            TransactionOptions.DEFAULT.withTime(clock).withService("shop");
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final Map<String, Participant> answers = new ConcurrentHashMap<>();
    private final List<Transactions> opened = new ArrayList<>();
    private final Transactions tx = over(options);

    @AfterEach
    void close() {
        opened.forEach(Transactions::close);
        backend.close();
    }

    @Test
    void whatBeginsIsDrivenToItsEnd() throws InterruptedException {
        TransactionDraft draft = saga("t");
        tx.begin(draft);
        TransactionRecord end = tx.await(draft.gid(), PATIENCE);
        assertThat(end.state()).isEqualTo(TransactionState.COMMITTED);
        assertThat(calls).containsExactly("action a", "action b");
        assertThat(tx.outcome(draft.gid())).isEqualTo(new TransactionOutcome.Committed());
        assertThat(tx.begin(draft).state()).isEqualTo(TransactionState.COMMITTED);
        assertThat(calls).hasSize(2);
        assertThat(tx.history(draft.gid())).isEmpty();
    }

    @Test
    void anotherContentUnderTheSameIdIsRefused() throws InterruptedException {
        tx.begin(saga("t"));
        TransactionDraft other = draft("t", TransactionKind.SAGA, List.of(step("c")));
        assertThatThrownBy(() -> tx.begin(other)).isInstanceOf(TransactionConflictException.class);
        tx.await(other.gid(), PATIENCE);
        assertThat(calls).doesNotContain("action c");
    }

    @Test
    void whatNeverBeganIsUnknownToAll() {
        TransactionId gid = new TransactionId("never");
        assertThat(tx.outcome(gid)).isEqualTo(new TransactionOutcome.Expired());
        assertThat(tx.find(gid)).isEmpty();
        assertThatThrownBy(() -> tx.commit(gid)).isInstanceOf(UnknownTransactionException.class);
        assertThatThrownBy(() -> tx.abort(gid, "me", "")).isInstanceOf(UnknownTransactionException.class);
        assertThatThrownBy(() -> tx.retry(gid, "me")).isInstanceOf(UnknownTransactionException.class);
        assertThatThrownBy(() -> tx.await(gid, PATIENCE)).isInstanceOf(UnknownTransactionException.class);
    }

    @Test
    void aCallThatFailsIsMadeAgainAfterItsPause() throws InterruptedException {
        answers.put("action a", call -> {
            if (call.attempt() == 1) {
                throw new IllegalStateException("broken");
            }
            return Reply.done();
        });
        tx.begin(saga("t"));
        TransactionRecord waiting = untilFree("t");
        assertThat(waiting.branches().get(0).lastError()).contains("broken");
        assertThat(tx.runOnce()).isZero();
        clock.advance(Duration.ofSeconds(1));
        assertThat(tx.runOnce()).isEqualTo(1);
        assertThat(found("t").state()).isEqualTo(TransactionState.COMMITTED);
        assertThat(calls).containsExactly("action a", "action a", "action b");
    }

    @Test
    void oneThatNeverAnswersIsCalledAgainAndItsLateAnswerCountsForNothing() throws InterruptedException {
        CompletableFuture<Reply> never = new CompletableFuture<>();
        answers.put("action a", call -> call.attempt() == 1 ? stubborn(never) : Reply.done("second"));
        Transactions hasty = over(options.withCallTimeout(Duration.ofMillis(50)));
        hasty.begin(saga("t"));
        assertThat(untilFree("t").branches().get(0).lastError().orElseThrow()).contains("no answer within PT0.05S");
        org.awaitility.Awaitility.await()
                .atMost(PATIENCE)
                .until(
                        () -> { // a busy machine may need more than one call
                            clock.advance(Duration.ofSeconds(10));
                            hasty.runOnce();
                            return found("t").state().isFinal();
                        });
        never.complete(Reply.refused("late"));
        assertThat(found("t").state()).isEqualTo(TransactionState.COMMITTED);
        assertThat(found("t").results()).containsEntry("a", "second");
    }

    @Test
    void ofCommitAndDeadlineExactlyOneWins() throws InterruptedException {
        AtomicInteger committed = new AtomicInteger();
        for (int round = 0; round < 60; round++) {
            TransactionDraft draft =
                    draft("t" + round, TransactionKind.XA, List.of(branch("a", Operation.CONFIRM, Operation.CANCEL)));
            tx.open(draft);
            tx.change(draft.gid(), t -> t.change("a", b -> b.called(BranchState.CALLED)));
            clock.advance(draft.deadline());
            calls.clear();
            CompletableFuture<Boolean> commit = CompletableFuture.supplyAsync(() -> {
                try {
                    tx.commit(draft.gid());
                    return true;
                } catch (TransactionAbortedException e) {
                    return false;
                }
            });
            tx.runOnce();
            boolean won = commit.join();
            TransactionRecord end = tx.await(draft.gid(), PATIENCE);
            assertThat(end.state()).isEqualTo(won ? TransactionState.COMMITTED : TransactionState.ABORTED);
            assertThat(calls).containsExactly(won ? "confirm a" : "cancel a");
            committed.addAndGet(won ? 1 : 0);
        }
        assertThat(committed.get()).isBetween(0, 60);
    }

    @Test
    void aDecisionIsOneWriteWithTheClaimAndTheFirstCalls() throws InterruptedException {
        CountDownLatch called = new CountDownLatch(1);
        CompletableFuture<Reply> answer = new CompletableFuture<>();
        answers.put("confirm a", call -> {
            called.countDown();
            return stubborn(answer);
        });
        TransactionRecord open = opened("t");
        tx.commit(open);
        assertThat(called.await(30, TimeUnit.SECONDS)).isTrue();
        TransactionRecord decided = found("t");
        assertThat(decided.progress().version()).isEqualTo(open.progress().version() + 1);
        assertThat(decided.progress().claims()).isEqualTo(open.progress().claims() + 1);
        assertThat(decided.branches().get(0).attempts())
                .as("in the log before it is made")
                .isEqualTo(1);
        assertThat(tx.commit(gid("t"))).as("again, while it is driven").isEqualTo(decided);
        answer.complete(Reply.done());
        assertThat(tx.await(gid("t"), PATIENCE).progress().version())
                .isEqualTo(open.progress().version() + 2);
        assertThat(calls).containsExactly("confirm a");
    }

    @Test
    void whoDrivesNoMoreDecidesForOthers() {
        TransactionRecord open = opened("t");
        tx.close();
        TransactionRecord decided = tx.commit(open);
        assertThat(decided.state()).isEqualTo(TransactionState.COMMITTING);
        assertThat(decided.progress().owner()).isEmpty();
        assertThat(over(options).runOnce()).as("without waiting for a claim").isEqualTo(1);
        assertThat(found("t").state()).isEqualTo(TransactionState.COMMITTED);
    }

    @Test
    void whoHasReadAnOldRecordDecidesByTheNewOne() {
        TransactionRecord open = opened("t");
        tx.abort(gid("t"), "me", "too late");
        assertThatThrownBy(() -> tx.commit(open)).isInstanceOf(TransactionAbortedException.class);
        assertThat(calls).doesNotContain("confirm a");
    }

    private TransactionRecord opened(String gid) {
        tx.open(draft(gid, TransactionKind.XA, List.of(branch("a", Operation.CONFIRM, Operation.CANCEL))));
        return tx.change(gid(gid), t -> t.change("a", b -> b.called(BranchState.CALLED)));
    }

    @Test
    void oneThatIsPausedBeyondItsClaimChangesNothing() throws InterruptedException {
        CountDownLatch called = new CountDownLatch(1);
        CompletableFuture<Reply> pause = new CompletableFuture<>();
        answers.put("action a", call -> {
            called.countDown();
            return call.attempt() == 1 ? stubborn(pause) : Reply.done("of the second");
        });
        tx.begin(saga("t"));
        assertThat(called.await(30, TimeUnit.SECONDS)).isTrue();
        Transactions second = over(options);
        assertThat(second.runOnce()).isZero();
        clock.advance(CLAIM.plusMillis(1));
        assertThat(second.runOnce()).isEqualTo(1);
        TransactionRecord end = found("t");
        pause.complete(Reply.refused("of the first, late"));
        tx.close(); // waits for what it drives
        assertThat(end.state()).isEqualTo(TransactionState.COMMITTED);
        assertThat(end.results()).containsEntry("a", "of the second");
        assertThat(found("t")).isEqualTo(end);
    }

    @Test
    void whatIsSuspendedRestsUntilItIsResumed() throws InterruptedException {
        answers.put("action a", call -> Reply.notYet("later"));
        tx.begin(saga("t"));
        untilFree("t");
        tx.suspend(gid("t"), "ann", "a look");
        clock.advance(Duration.ofMinutes(10));
        assertThat(tx.runOnce()).isZero();
        assertThat(tx.outcome(gid("t"))).isEqualTo(new TransactionOutcome.InDoubt("suspended: a look"));
        answers.clear();
        tx.resume(gid("t"), "ann");
        assertThat(tx.await(gid("t"), PATIENCE).state()).isEqualTo(TransactionState.COMMITTED);
        assertThat(tx.history(gid("t"))).extracting(TransactionEvent::what).containsExactly("suspended", "resumed");
        assertThat(tx.resume(gid("t"), "ann").state()).isEqualTo(TransactionState.COMMITTED);
    }

    @Test
    void anAbortedSagaIsUndoneAndCanNotBeCommitted() throws InterruptedException {
        answers.put("action b", call -> Reply.notYet("later"));
        tx.begin(saga("t"));
        untilFree("t");
        assertThat(tx.abort(gid("t"), "ann", "no longer wanted").state()).isEqualTo(TransactionState.ABORTING);
        assertThat(tx.await(gid("t"), PATIENCE).state()).isEqualTo(TransactionState.ABORTED);
        assertThat(calls).containsExactly("action a", "action b", "compensate b", "compensate a");
        assertThatThrownBy(() -> tx.commit(gid("t"))).isInstanceOf(TransactionAbortedException.class);
        assertThat(tx.history(gid("t")).get(0).detail()).isEqualTo("no longer wanted");
    }

    @Test
    void whatIsStuckGoesOnAtOnceWhenItIsRetried() throws InterruptedException {
        answers.put("confirm a", call -> Reply.refused("never"));
        tx.begin(draft(
                "t", TransactionKind.TCC, List.of(branch("a", Operation.TRY, Operation.CONFIRM, Operation.CANCEL))));
        assertThat(tx.await(gid("t"), PATIENCE).suspended()).contains("a: refused: never");
        answers.clear();
        tx.retry(gid("t"), "ann");
        TransactionRecord end = tx.await(gid("t"), PATIENCE);
        assertThat(end.state()).isEqualTo(TransactionState.COMMITTED);
        assertThat(calls).doesNotContain("cancel a");
    }

    @Test
    void whatCanNotBeDrivenAtOnceIsRecoverysAndWaitsForNoClaim() throws InterruptedException {
        TransactionOptions one = new TransactionOptions(
                "shop",
                Duration.ofMinutes(10),
                Duration.ofMinutes(5),
                Duration.ofSeconds(1),
                1,
                8,
                Duration.ofDays(1),
                StuckAfter.DEFAULT,
                clock);
        Transactions small = over(one);
        CompletableFuture<Reply> busy = new CompletableFuture<>();
        answers.put("action a", call -> stubborn(busy));
        for (int i = 0; i < 3; i++) {
            small.begin(saga("t" + i));
        }
        TransactionRecord third = found("t2");
        assertThat(third.progress().owner()).isEmpty();
        assertThat(third.branches()).allMatch(b -> b.state() == BranchState.PLANNED);
        busy.complete(Reply.done());
        assertThat(tx.runOnce()).isEqualTo(1);
        for (int i = 0; i < 3; i++) {
            assertThat(small.await(gid("t" + i), PATIENCE).state()).isEqualTo(TransactionState.COMMITTED);
        }
    }

    @Test
    void whatAClosedOneWasDrivingIsTakenOver() throws InterruptedException {
        CountDownLatch called = new CountDownLatch(1);
        answers.put("action a", call -> {
            called.countDown();
            new CountDownLatch(1).await(); // until it is interrupted
            return Reply.done();
        });
        Transactions first = over(options);
        first.begin(saga("t"));
        assertThat(called.await(30, TimeUnit.SECONDS)).isTrue();
        first.close();
        answers.clear();
        clock.advance(CLAIM.plusSeconds(1));
        assertThat(tx.runOnce()).isEqualTo(1);
        assertThat(found("t").state()).isEqualTo(TransactionState.COMMITTED);
    }

    @Test
    void aLogThatFailsEndsNoRecovery() throws InterruptedException {
        AtomicInteger failures = new AtomicInteger();
        TransactionStore log = backend.transactions();
        TransactionStore failing = (TransactionStore) Proxy.newProxyInstance(
                TransactionStore.class.getClassLoader(),
                new Class<?>[] {TransactionStore.class},
                (proxy, method, args) -> {
                    if (method.getName().equals("claim") && failures.incrementAndGet() <= 3) {
                        throw new IllegalStateException("the log is not itself");
                    }
                    try {
                        return method.invoke(log, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        log.begin(saga("t"), Optional.empty(), Duration.ZERO);
        Transactions recovering =
                TransactionEngine.over(failing, this::participant, options.withPollEvery(Duration.ofMillis(10)));
        opened.add(recovering.start());
        assertThat(recovering.await(gid("t"), PATIENCE).state()).isEqualTo(TransactionState.COMMITTED);
        assertThat(failures.get()).isGreaterThan(3);
    }

    @Test
    void aServiceForgetsItsOwnAloneUnlessItKeepsTheLogForAll() throws InterruptedException {
        tx.begin(saga("t"));
        tx.await(gid("t"), PATIENCE);
        clock.advance(Duration.ofSeconds(1));
        Transactions other = TransactionEngine.over(
                backend.transactions(),
                this::participant,
                options.withService("another").withRetention(Duration.ZERO));
        opened.add(other);
        assertThat(other.purge()).isZero();
        assertThat(tx.outcome(gid("t"))).isEqualTo(new TransactionOutcome.Committed());
        assertThat(other.forgetEveryService().purge()).isEqualTo(1);
    }

    @Test
    void whatEndedLongAgoIsForgotten() throws InterruptedException {
        tx.begin(saga("t"));
        tx.await(gid("t"), PATIENCE);
        assertThat(tx.purge()).isZero();
        clock.advance(options.retention().plusSeconds(1));
        assertThat(tx.purge()).isEqualTo(1);
        assertThat(tx.outcome(gid("t"))).isEqualTo(new TransactionOutcome.Expired());
    }

    private Transactions over(TransactionOptions how) {
        Transactions made = TransactionEngine.over(backend.transactions(), this::participant, how);
        opened.add(made);
        return made;
    }

    private Optional<Participant> participant(String target) {
        return Optional.of(this::perform);
    }

    private Reply perform(BranchCall call) throws Exception {
        String what = call.operation().text() + " " + call.branch();
        calls.add(what);
        return answers.getOrDefault(what, any -> Reply.done()).call(call);
    }

    /** Waits, and can't be interrupted. */
    private static Reply stubborn(CompletableFuture<Reply> answer) {
        return answer.join();
    }

    /** The transaction, when nobody drives it. */
    private TransactionRecord untilFree(String gid) {
        return org.awaitility.Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> found(gid), record -> record.progress().owner().isEmpty());
    }

    private TransactionRecord found(String gid) {
        return backend.transactions().find(gid(gid)).orElseThrow();
    }

    private static TransactionId gid(String gid) {
        return new TransactionId(gid);
    }

    private static TransactionDraft saga(String gid) {
        return draft(gid, TransactionKind.SAGA, List.of(step("a"), step("b").after(List.of("a"))));
    }

    private static TransactionDraft draft(String gid, TransactionKind kind, List<BranchRecord> branches) {
        return new TransactionDraft(
                gid(gid),
                kind,
                "shop",
                "order/1",
                "",
                Optional.empty(),
                TransactionState.ACTIVE,
                Duration.ofHours(1),
                RetryPolicy.FOR_EVER,
                branches);
    }

    private static BranchRecord step(String name) {
        return branch(name, Operation.ACTION, Operation.COMPENSATE);
    }

    private static BranchRecord branch(String name, Operation... operations) {
        Map<Operation, String> targets = new EnumMap<>(Operation.class);
        for (Operation operation : operations) {
            targets.put(operation, "shop");
        }
        return BranchRecord.planned(name, targets, "");
    }
}
