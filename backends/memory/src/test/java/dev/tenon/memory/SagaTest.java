package dev.tenon.memory;

import static dev.tenon.tx.TransactionState.ABORTED;
import static dev.tenon.tx.TransactionState.ABORTING;
import static dev.tenon.tx.TransactionState.ACTIVE;
import static dev.tenon.tx.TransactionState.COMMITTED;
import static dev.tenon.tx.TransactionState.COMMITTING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Reply;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionConflictException;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionOutcome;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.UnknownParticipantException;
import dev.tenon.tx.saga.Saga;
import dev.tenon.tx.saga.Sagas;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a saga of the Java API does, over the log in memory. */
class SagaTest {
    private static final TransactionId GID = new TransactionId("order-1");
    private static final RetryPolicy TWICE = RetryPolicy.FOR_EVER.upTo(2);

    private final ModesFixture tx = new ModesFixture();
    private final Sagas sagas = Sagas.over(tx.transactions, tx.named);

    @AfterEach
    void close() {
        tx.close();
    }

    private Participant does(String what) {
        return call -> {
            tx.calls.add(what);
            return Reply.done(what);
        };
    }

    private Participant refuses(String what) {
        return call -> {
            tx.calls.add(what);
            return Reply.refused("none left");
        };
    }

    private Participant fails(String what) {
        return call -> {
            tx.calls.add(what);
            throw new IllegalStateException("no line");
        };
    }

    private TransactionRecord run(Saga saga) throws InterruptedException {
        sagas.register(saga).start(saga.name(), GID, "{}");
        return tx.ended(GID);
    }

    @Test
    void stepsFollowEachOtherAndSeeTheContextAndTheAnswersBeforeThem() throws Exception {
        Saga saga = Saga.named("order", 1)
                .step("stock", does("stock"), does("-stock"))
                .step("pay", call -> {
                    tx.calls.add(call.payload() + call.result("stock").orElse("?"));
                    return Reply.done();
                })
                .build();
        sagas.register(saga).start("order", GID, "{\"sku\":7}");

        assertThat(tx.end(GID)).isEqualTo(COMMITTED);
        assertThat(tx.calls).containsExactly("stock", "{\"sku\":7}stock");
    }

    @Test
    void stepsThatDoNotBuildOnEachOtherRunAtTheSameTime() throws Exception {
        CyclicBarrier both = new CyclicBarrier(2);
        Participant meets = call -> {
            both.await(60, TimeUnit.SECONDS);
            return Reply.done();
        };
        Saga saga = Saga.named("order", 1)
                .step("stock", meets)
                .step("coupon", meets)
                .after()
                .step("pay", does("pay"))
                .after("stock", "coupon")
                .retry(RetryPolicy.FOR_EVER.upTo(1))
                .build();

        assertThat(run(saga).state()).isEqualTo(COMMITTED);
    }

    @Test
    void aRefusedStepTurnsItBackInReverseAndIsNotUndoneItself() throws Exception {
        Saga saga = Saga.named("order", 1)
                .step("stock", does("stock"), does("-stock"))
                .step("coupon", does("coupon"), does("-coupon"))
                .step("pay", refuses("pay"), does("-pay"))
                .step("ship", does("ship"), does("-ship"))
                .build();

        assertThat(run(saga).state()).isEqualTo(ABORTED);
        assertThat(tx.calls).containsExactly("stock", "coupon", "pay", "-coupon", "-stock");
    }

    @Test
    void aStepOfWhichNobodyKnowsIsUndoneAsWell() throws Exception {
        Saga saga = Saga.named("order", 1)
                .step("stock", does("stock"), does("-stock"))
                .step("pay", fails("pay"), does("-pay"))
                .retry(TWICE)
                .build();

        assertThat(run(saga).state()).isEqualTo(ABORTED);
        assertThat(tx.calls).containsExactly("stock", "pay", "pay", "-pay", "-stock");
    }

    @Test
    void theDeadlineTurnsItBack() throws Exception {
        Saga saga = Saga.named("order", 1)
                .step("stock", does("stock"), does("-stock"))
                .step("pay", call -> Reply.notYet("the bank is closed"), does("-pay"))
                .deadline(Duration.ofMinutes(2))
                .build();

        assertThat(run(saga).state()).isEqualTo(ABORTED);
        assertThat(tx.calls).containsExactly("stock", "-pay", "-stock");
    }

    @Test
    void aCompensationThatFailsIsNeverASuccess() throws Exception {
        AtomicBoolean mended = new AtomicBoolean();
        Saga saga = Saga.named("order", 1)
                .step("stock", does("stock"), call -> mended.get() ? Reply.done() : Reply.refused("the shelf is gone"))
                .step("pay", refuses("pay"))
                .build();

        TransactionRecord stuck = run(saga);

        assertThat(stuck.state()).isEqualTo(ABORTING);
        assertThat(stuck.suspended()).hasValue("stock: refused: the shelf is gone");
        assertThat(tx.transactions.outcome(GID)).isInstanceOf(TransactionOutcome.InDoubt.class);
        mended.set(true);
        tx.transactions.retry(GID, "ann");
        assertThat(tx.end(GID)).isEqualTo(ABORTED);
    }

    @Test
    void fromThePivotOnItGoesForwardOnly() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        Saga saga = Saga.named("order", 1)
                .step("stock", does("stock"), does("-stock"))
                .step("pay", does("pay"))
                .pivot()
                .step(
                        "ship",
                        call -> attempts.incrementAndGet() < 8 ? fails("ship").call(call) : Reply.done())
                .deadline(Duration.ofSeconds(5))
                .build();

        assertThat(run(saga).state()).isEqualTo(COMMITTED);
        assertThat(attempts).hasValue(8);
        assertThat(tx.calls).doesNotContain("-stock");
    }

    @Test
    void aPivotOfWhichNobodyKnowsIsNeverTurnedBackByTheDeadline() throws Exception {
        AtomicBoolean known = new AtomicBoolean();
        Saga saga = Saga.named("order", 1)
                .step("stock", does("stock"), does("-stock"))
                .step(
                        "pay",
                        call -> known.get()
                                ? Reply.refused("not paid")
                                : fails("pay").call(call))
                .pivot()
                .retry(TWICE)
                .deadline(Duration.ofSeconds(1))
                .build();

        TransactionRecord stuck = run(saga);
        assertThat(stuck.state()).isEqualTo(ACTIVE);
        assertThat(stuck.suspended()).isPresent();
        tx.clock.advance(Duration.ofMinutes(1));
        tx.transactions.resume(GID, "ann");
        assertThat(tx.end(GID)).isEqualTo(ACTIVE);
        assertThat(tx.calls).containsExactly("stock", "pay", "pay");
        known.set(true);
        tx.transactions.retry(GID, "ann");
        assertThat(tx.end(GID)).isEqualTo(ABORTED);
        assertThat(tx.calls).containsExactly("stock", "pay", "pay", "-stock");
    }

    @Test
    void oneThatGoesForwardOnlyIsNeverTurnedBack() throws Exception {
        AtomicBoolean mended = new AtomicBoolean();
        Saga saga = Saga.named("order", 1)
                .step("stock", does("stock"))
                .step("ship", call -> mended.get() ? does("ship").call(call) : Reply.refused("no van"))
                .forwardOnly()
                .deadline(Duration.ofSeconds(1))
                .build();

        TransactionRecord stuck = run(saga);

        assertThat(stuck.state()).isEqualTo(COMMITTING);
        assertThat(stuck.suspended()).hasValue("ship: refused: no van");
        assertThatThrownBy(() -> tx.transactions.abort(GID, "ann", "enough"))
                .isInstanceOf(TransactionConflictException.class);
        mended.set(true);
        tx.transactions.retry(GID, "ann");
        assertThat(tx.end(GID)).isEqualTo(COMMITTED);
        assertThat(tx.calls).containsExactly("stock", "ship");
    }

    @Test
    void theSameStartTwiceIsOneSagaAndAnotherContextIsRefused() throws Exception {
        sagas.register(Saga.named("order", 1).step("stock", does("stock")).build());
        sagas.start("order", GID, "{}");
        sagas.start("order", GID, "{}");

        assertThat(tx.end(GID)).isEqualTo(COMMITTED);
        assertThat(tx.calls).containsExactly("stock");
        assertThatThrownBy(() -> sagas.start("order", GID, "{\"n\":2}"))
                .isInstanceOf(TransactionConflictException.class);
    }

    @Test
    void anOldVersionGoesOnAsItWasAndTheNewestIsStarted() throws Exception {
        AtomicBoolean open = new AtomicBoolean();
        sagas.register(Saga.named("order", 1)
                .step("pay", call -> open.get() ? does("old").call(call) : Reply.notYet("closed"))
                .build());
        sagas.start("order", GID, "{}");
        sagas.register(Saga.named("order", 2).step("pay", does("new")).build());
        TransactionId second = new TransactionId("order-2");
        sagas.start("order", second, "{}");

        assertThat(tx.end(second)).isEqualTo(COMMITTED);
        open.set(true);
        assertThat(tx.end(GID)).isEqualTo(COMMITTED);
        assertThat(tx.calls).containsExactly("new", "old");
    }

    @Test
    void aLogThatNamesAStepThatNobodyKnowsIsReportedAtTheStart() {
        sagas.register(Saga.named("order", 1)
                .step("pay", call -> Reply.notYet("closed"), does("-pay"))
                .build());
        sagas.start("order", GID, "{}");
        assertThat(tx.transactions.requireParticipants()).isSameAs(tx.transactions);

        try (Transactions after = tx.over(new NamedParticipants())) {
            assertThatThrownBy(after::requireParticipants)
                    .isInstanceOf(UnknownParticipantException.class)
                    .hasMessageContaining("saga:order/1/pay=order-1");
        }
        NamedParticipants others = new NamedParticipants();
        try (Transactions another = tx.over(others)) {
            Sagas.over(another, others)
                    .register(Saga.named("parcel", 1).step("send", does("send")).build());
            assertThatThrownBy(another::requireParticipants)
                    .hasMessageContaining("service \"shop\"")
                    .hasMessageContaining("it knows [saga:parcel/1/send");
        }
        NamedParticipants renewed = new NamedParticipants();
        try (Transactions after = tx.over(renewed)) {
            Sagas.over(after, renewed)
                    .register(Saga.named("order", 1).step("pay", does("pay")).build());
            assertThat(after.requireParticipants()).isSameAs(after);
        }
    }

    @Test
    void aDefinitionThatContradictsItselfIsRefusedAtTheDoor() {
        Saga.Builder order = Saga.named("order", 1).step("pay", does("pay"));

        assertThatThrownBy(() -> Saga.named("order/1", 1)).hasMessageContaining("letters, digits");
        assertThatThrownBy(() -> Saga.named("order", 0)).hasMessageContaining("1 or more");
        assertThatThrownBy(() -> Saga.named("order", 1).build()).hasMessageContaining("no steps");
        assertThatThrownBy(() -> Saga.named("order", 1).after()).hasMessageContaining("Add a step first");
        assertThatThrownBy(() -> order.step("pay", does("pay"))).hasMessageContaining("two steps");
        assertThatThrownBy(() -> order.after("pay")).hasMessageContaining("does not stand before it");
        assertThatThrownBy(() -> order.step("ship", does("ship"), does("-ship"))
                        .forwardOnly()
                        .build())
                .hasMessageContaining("is never undone");
        assertThatThrownBy(() -> sagas.start("unknown", GID, "{}"))
                .hasMessageContaining("\"unknown\" is not registered");
        sagas.register(Saga.named("twice", 1).step("a", does("a")).build());
        assertThatThrownBy(() -> sagas.register(
                        Saga.named("twice", 1).step("a", does("a")).build()))
                .hasMessageContaining("already");
    }

    @Test
    void nothingRunsBesideThePivotAndNothingAfterItIsUndone() {
        assertThatThrownBy(() -> Saga.named("order", 1)
                        .step("pay", does("pay"))
                        .pivot()
                        .step("gift", does("gift"))
                        .after()
                        .build())
                .hasMessageContaining("beside the pivot");
        assertThatThrownBy(() -> Saga.named("order", 1)
                        .step("pay", does("pay"))
                        .pivot()
                        .step("ship", does("ship"), does("-ship"))
                        .build())
                .hasMessageContaining("is never undone");
        assertThatThrownBy(() -> Saga.named("order", 1)
                        .step("pay", does("pay"))
                        .pivot()
                        .step("ship", does("ship"))
                        .pivot()
                        .build())
                .hasMessageContaining("more than once");
    }

    // Nested sagas.

    private static final TransactionId CHILD = new TransactionId("order-1:pay");

    private void registerWithChild(Participant charge, Participant ship) {
        sagas.register(Saga.named("payment", 1)
                        .step("charge", charge, does("-charge"))
                        .build())
                .register(Saga.named("refund", 1)
                        .step("refund", does("refund"))
                        .forwardOnly()
                        .build())
                .register(Saga.named("order", 1)
                        .step("stock", does("stock"), does("-stock"))
                        .child("pay", "payment", call -> "{\"for\":\"" + call.gid() + "\"}", "refund")
                        .step("ship", ship)
                        .build());
        sagas.start("order", GID, "{}");
    }

    @Test
    void aStepIsASagaWithItsOwnOutcome() throws Exception {
        registerWithChild(does("charge"), does("ship"));

        assertThat(tx.end(GID)).isEqualTo(COMMITTED);
        assertThat(tx.calls).containsExactly("stock", "charge", "ship");
        TransactionRecord child = tx.transactions.find(CHILD).orElseThrow();
        assertThat(child.state()).isEqualTo(COMMITTED);
        assertThat(child.parent()).hasValue(GID);
        assertThat(child.payload()).isEqualTo("{\"for\":\"order-1\"}");
    }

    @Test
    void aChildThatIsAbortedTurnsItsParentBack() throws Exception {
        registerWithChild(refuses("charge"), does("ship"));

        assertThat(tx.end(GID)).isEqualTo(ABORTED);
        assertThat(tx.calls).containsExactly("stock", "charge", "-stock");
    }

    @Test
    void whatAChildHasCommittedIsUndoneByTheSagaThatIsThereForIt() throws Exception {
        registerWithChild(does("charge"), refuses("ship"));

        assertThat(tx.end(GID)).isEqualTo(ABORTED);
        assertThat(tx.calls).containsExactly("stock", "charge", "ship", "refund", "-stock");
        assertThat(tx.transactions.find(CHILD).orElseThrow().state()).isEqualTo(COMMITTED);
        assertThat(tx.end(new TransactionId("order-1:pay:undo"))).isEqualTo(COMMITTED);
    }

    @Test
    void aChildThatWasClosedAsItIsEndsNoParentByItself() throws Exception {
        registerWithChild(call -> Reply.notYet("closed"), does("ship"));
        await().atMost(ModesFixture.PATIENCE)
                .until(() -> tx.transactions.find(CHILD).isPresent());
        tx.transactions.suspend(CHILD, "ann", "");
        tx.transactions.closeAsIs(CHILD, "ann", "paid in cash");

        tx.transactions.abort(GID, "ann", "the customer has left");

        TransactionRecord parent = tx.ended(GID);
        assertThat(parent.state()).isEqualTo(TransactionState.ABORTING);
        assertThat(parent.suspended()).contains("pay: refused: its saga order-1:pay was closed by ann: paid in cash");
        assertThat(tx.transactions.closeAsIs(GID, "ann", "so is this").state()).isEqualTo(TransactionState.CLOSED);
        assertThat(tx.calls).containsExactly("stock");
    }

    @Test
    void aChildThatStillRunsIsAbortedWithItsParent() throws Exception {
        registerWithChild(call -> Reply.notYet("closed"), does("ship"));
        await().atMost(ModesFixture.PATIENCE)
                .until(() -> tx.transactions.find(CHILD).isPresent());

        tx.transactions.abort(GID, "ann", "the customer has left");

        assertThat(tx.end(GID)).isEqualTo(ABORTED);
        assertThat(tx.end(CHILD)).isEqualTo(ABORTED);
        assertThat(tx.calls).containsExactly("stock", "-charge", "-stock");
    }

    @Test
    void aChildThatIsUndoneBeforeItIsBegunNeverBegins() throws Exception {
        CountDownLatch called = new CountDownLatch(1);
        CountDownLatch late = new CountDownLatch(1);
        sagas.register(Saga.named("payment", 1).step("charge", does("charge")).build())
                .register(Saga.named("order", 1)
                        .step("stock", does("stock"), does("-stock"))
                        .child("pay", "payment", call -> {
                            called.countDown();
                            awaitQuietly(late);
                            return "{}";
                        })
                        .build());
        sagas.start("order", GID, "{}");
        assertThat(called.await(30, TimeUnit.SECONDS)).isTrue();

        try (Transactions other = tx.over(tx.named)) {
            // The first process is paused between its look at the log and its start of the child; another takes over.
            tx.clock.advance(Duration.ofMinutes(1));
            other.abort(GID, "ann", "the customer has left");
            tx.clock.advance(Duration.ofMinutes(1));
            other.runOnce();
            assertThat(other.await(GID, ModesFixture.PATIENCE).state()).isEqualTo(ABORTED);
            late.countDown();

            assertThat(other.await(CHILD, ModesFixture.PATIENCE).state()).isEqualTo(ABORTED);
        }
        assertThat(tx.calls).containsExactly("stock", "-stock");
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            if (!latch.await(30, TimeUnit.SECONDS)) {
                throw new IllegalStateException("nobody has come");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
