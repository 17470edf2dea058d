package dev.tenon.memory;

import static dev.tenon.tx.TransactionState.ABORTED;
import static dev.tenon.tx.TransactionState.ACTIVE;
import static dev.tenon.tx.TransactionState.COMMITTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionConflictException;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.tcc.Tcc;
import dev.tenon.tx.tcc.TccBranch;
import dev.tenon.tx.tcc.TccParticipant;
import dev.tenon.tx.tcc.TccTransaction;
import java.time.Duration;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What TCC of the Java API does, over the log in memory. */
class TccTest {
    private static final TransactionId GID = new TransactionId("pay-1");
    private static final TransactionId NESTED = new TransactionId("pay-1:gift");
    private static final TccBranch COUPON = TccBranch.of("coupon", "{\"yuan\":10}");
    private static final TccBranch BALANCE = TccBranch.of("balance", "{\"yuan\":90}");
    private static final TccBranch GIFT = TccBranch.of("gift", "{}");
    private static final TccBranch EMPTY = TccBranch.of("empty", "{}");

    private final ModesFixture tx = new ModesFixture();
    private final Tcc tcc = Tcc.over(tx.transactions, tx.named);

    @BeforeEach
    void register() {
        for (String name : new String[] {"coupon", "balance", "gift"}) {
            tcc.register(name, 1, recorded(call -> Reply.done()));
        }
        tcc.register("empty", 1, recorded(call -> Reply.refused("none left")));
        tcc.register("broken", 1, recorded(call -> {
            throw new IllegalStateException("no line");
        }));
    }

    @AfterEach
    void close() {
        tcc.close();
        tx.close();
    }

    private TccParticipant recorded(dev.tenon.tx.Participant tryIt) {
        return TccParticipant.of(
                call -> {
                    record(call);
                    return tryIt.call(call);
                },
                this::record,
                this::record);
    }

    private Reply record(BranchCall call) {
        tx.calls.add(call.operation().text() + " " + call.branch());
        return Reply.done();
    }

    @Test
    void allAreTriedAtTheSameTimeAndConfirmedAfterTheCommit() throws Exception {
        CyclicBarrier both = new CyclicBarrier(2);
        dev.tenon.tx.Participant meets = call -> {
            both.await(8, TimeUnit.SECONDS);
            return Reply.done();
        };
        tcc.register("coupon", 2, recorded(meets)).register("balance", 2, recorded(meets));

        try (TccTransaction pay = tcc.begin(GID, COUPON, BALANCE)) {
            assertThat(tx.calls).containsExactlyInAnyOrder("try coupon", "try balance");
            pay.commit();
        }

        assertThat(tx.end(GID)).isEqualTo(COMMITTED);
        assertThat(tx.calls.subList(2, 4)).containsExactlyInAnyOrder("confirm coupon", "confirm balance");
    }

    @Test
    void theLogNamesABranchBeforeItIsCalled() throws Exception {
        TccParticipant looks = TccParticipant.of(
                call -> tx.transactions
                                .find(call.gid())
                                .flatMap(known -> known.branch(call.branch()))
                                .filter(branch -> branch.state().mayHaveRun())
                                .isPresent()
                        ? Reply.done()
                        : Reply.refused("the log does not know me"),
                this::record,
                this::record);
        tcc.register("looks", 1, looks);

        try (TccTransaction pay = tcc.begin(GID, TccBranch.of("looks", ""))) {
            pay.add(new TccBranch("again", "looks", ""));
            pay.commit();
        }
        assertThat(tx.end(GID)).isEqualTo(COMMITTED);
    }

    @Test
    void oneThatIsRefusedCancelsAll() throws Exception {
        assertThatThrownBy(() -> tcc.begin(GID, COUPON, EMPTY))
                .isInstanceOf(TransactionAbortedException.class)
                .hasMessageContaining("empty: refused: none left");

        assertThat(tx.end(GID)).isEqualTo(ABORTED);
        assertThat(tx.calls).contains("cancel coupon").doesNotContain("confirm coupon");
    }

    @Test
    void oneOfWhichNobodyKnowsIsCancelledAsWell() throws Exception {
        assertThatThrownBy(() -> tcc.begin(GID, COUPON, TccBranch.of("broken", "")))
                .isInstanceOf(TransactionAbortedException.class)
                .hasMessageContaining("no line");

        assertThat(tx.end(GID)).isEqualTo(ABORTED);
        assertThat(tx.calls).contains("cancel coupon", "cancel broken");
    }

    @Test
    void whatIsLeftUndecidedIsAborted() throws Exception {
        assertThatThrownBy(() -> {
                    try (TccTransaction pay = tcc.begin(GID, COUPON)) {
                        throw new IllegalArgumentException("no such street in " + pay.gid());
                    }
                })
                .isInstanceOf(IllegalArgumentException.class);

        assertThat(tx.end(GID)).isEqualTo(ABORTED);
        assertThat(tx.calls).containsExactly("try coupon", "cancel coupon");
    }

    @Test
    void theDeadlineAbortsAndTheLateCommitIsRefused() throws Exception {
        try (TccTransaction pay = tcc.begin(GID, Duration.ofSeconds(30), COUPON)) {
            tx.clock.advance(Duration.ofSeconds(31));
            tx.transactions.runOnce();
            assertThat(tx.end(GID)).isEqualTo(ABORTED);

            assertThatThrownBy(pay::commit).isInstanceOf(TransactionAbortedException.class);
        }
        assertThat(tx.calls).containsExactly("try coupon", "cancel coupon");
    }

    @Test
    void nobodyTouchesItBeforeItsDeadline() {
        try (TccTransaction pay = tcc.begin(GID, Duration.ofSeconds(30), COUPON)) {
            tx.clock.advance(Duration.ofSeconds(29));

            assertThat(tx.transactions.runOnce()).isZero();
            pay.commit();
        }
    }

    @Test
    void aBranchThatIsAddedIsTriedAndBelongsToIt() throws Exception {
        try (TccTransaction pay = tcc.begin(GID, COUPON)) {
            pay.add(BALANCE);
            pay.commit();
        }
        assertThat(tx.end(GID)).isEqualTo(COMMITTED);
        assertThat(tx.calls).contains("confirm coupon", "confirm balance");
    }

    @Test
    void aBranchThatIsAddedAndRefusedCancelsAll() throws Exception {
        try (TccTransaction pay = tcc.begin(GID, COUPON)) {
            assertThatThrownBy(() -> pay.add(EMPTY)).isInstanceOf(TransactionAbortedException.class);
            assertThatThrownBy(pay::commit).isInstanceOf(IllegalStateException.class);
        }
        assertThat(tx.end(GID)).isEqualTo(ABORTED);
        assertThat(tx.calls).contains("cancel coupon", "cancel empty");
    }

    @Test
    void noBranchIsAddedToOneThatIsAborted() throws Exception {
        try (TccTransaction pay = tcc.begin(GID, COUPON)) {
            tx.transactions.abort(GID, "ann", "enough");

            assertThatThrownBy(() -> pay.add(BALANCE)).isInstanceOf(TransactionAbortedException.class);
        }
        assertThat(tx.end(GID)).isEqualTo(ABORTED);
        assertThat(tx.calls).doesNotContain("try balance");
    }

    @Test
    void anIdIsUsedOnce() throws Exception {
        try (TccTransaction pay = tcc.begin(GID, COUPON)) {
            pay.commit();
        }
        assertThat(tx.end(GID)).isEqualTo(COMMITTED);
        assertThatThrownBy(() -> tcc.begin(GID, COUPON)).isInstanceOf(TransactionConflictException.class);
        assertThatThrownBy(() -> tcc.begin(GID, BALANCE)).isInstanceOf(TransactionConflictException.class);

        TransactionId other = new TransactionId("pay-2");
        assertThatThrownBy(() -> tcc.begin(other, EMPTY)).isInstanceOf(TransactionAbortedException.class);
        assertThatThrownBy(() -> tcc.begin(other, EMPTY)).isInstanceOf(TransactionAbortedException.class);
    }

    @Test
    void whoIsUnknownIsRefusedBeforeAnythingIsWritten() {
        assertThatThrownBy(() -> tcc.begin(GID, TccBranch.of("nobody", "")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no TCC participant \"nobody\"");
        assertThat(tx.transactions.find(GID)).isEmpty();
        assertThatThrownBy(() -> tcc.register("coupon", 1, recorded(call -> Reply.done())))
                .hasMessageContaining("already");
    }

    // Nested ones.

    @Test
    void aNestedOneIsRolledBackAsToASavepointWhileItsParentStaysActive() throws Exception {
        try (TccTransaction pay = tcc.begin(GID, COUPON)) {
            try (TccTransaction gift = pay.nested("gift", GIFT)) {
                gift.abort("the customer wants none");
            }
            assertThat(tx.end(NESTED)).isEqualTo(ABORTED);
            assertThat(tx.transactions.find(GID).orElseThrow().state()).isEqualTo(ACTIVE);
            pay.commit();
        }
        assertThat(tx.end(GID)).isEqualTo(COMMITTED);
        assertThat(tx.calls).containsExactly("try coupon", "try gift", "cancel gift", "confirm coupon");
    }

    @Test
    void aNestedOneThatIsRefusedLeavesItsParentActive() throws Exception {
        try (TccTransaction pay = tcc.begin(GID, COUPON)) {
            assertThatThrownBy(() -> pay.nested("gift", GIFT, EMPTY)).isInstanceOf(TransactionAbortedException.class);
            pay.commit();
        }
        assertThat(tx.end(GID)).isEqualTo(COMMITTED);
        assertThat(tx.end(NESTED)).isEqualTo(ABORTED);
        assertThat(tx.calls).contains("cancel gift", "confirm coupon").doesNotContain("confirm gift");
    }

    @Test
    void whatANestedOneCommitsIsConfirmedWithItsParent() throws Exception {
        try (TccTransaction pay = tcc.begin(GID, COUPON)) {
            try (TccTransaction gift = pay.nested("gift", GIFT)) {
                gift.commit();
            }
            assertThat(tx.transactions.find(NESTED).orElseThrow().state()).isEqualTo(ACTIVE);
            pay.commit();
        }
        assertThat(tx.end(GID)).isEqualTo(COMMITTED);
        assertThat(tx.end(NESTED)).isEqualTo(COMMITTED);
        assertThat(tx.calls).contains("confirm gift", "confirm coupon");
    }

    @Test
    void aNestedOneThatWasClosedAsItIsIsNotCalledConfirmed() throws Exception {
        try (TccTransaction pay = tcc.begin(GID, COUPON)) {
            try (TccTransaction gift = pay.nested("gift", GIFT)) {
                gift.commit();
            }
            tx.transactions.suspend(NESTED, "ann", "");
            tx.transactions.closeAsIs(NESTED, "ann", "it was sent by hand");
            pay.commit();
        }
        TransactionRecord parent = tx.ended(GID);
        assertThat(parent.state()).isEqualTo(TransactionState.COMMITTING);
        assertThat(parent.suspended().orElseThrow()).contains("closed by ann: it was sent by hand");
        assertThat(tx.calls).contains("confirm coupon").doesNotContain("confirm gift", "cancel gift");
    }

    @Test
    void whatANestedOneCommitsIsCancelledWithItsParent() throws Exception {
        try (TccTransaction pay = tcc.begin(GID, COUPON);
                TccTransaction gift = pay.nested("gift", GIFT)) {
            gift.commit();
        }
        assertThat(tx.end(GID)).isEqualTo(ABORTED);
        assertThat(tx.end(NESTED)).isEqualTo(ABORTED);
        assertThat(tx.calls).contains("cancel gift", "cancel coupon");
    }

    @Test
    void aParentWhoseProcessHasDiedTakesItsNestedOneAlong() throws Exception {
        tcc.begin(GID, COUPON).nested("gift", GIFT).commit();

        tx.clock.advance(Tcc.DEADLINE.plusSeconds(1));
        tx.transactions.runOnce();

        assertThat(tx.end(GID)).isEqualTo(ABORTED);
        assertThat(tx.end(NESTED)).isEqualTo(ABORTED);
        assertThat(tx.calls).contains("cancel gift", "cancel coupon");
    }

    @Test
    void noParentCommitsOverANestedOneThatIsOpen() {
        try (TccTransaction pay = tcc.begin(GID, COUPON);
                TccTransaction gift = pay.nested("gift", GIFT)) {
            assertThatThrownBy(pay::commit)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is open");
            gift.commit();
            pay.commit();
        }
    }

    @Test
    void aNestedOneThatTheLogCouldNotRollBackDoomsItsParent() throws Exception {
        try (TccTransaction pay = tcc.begin(GID, COUPON)) {
            try (TccTransaction gift = pay.nested("gift", GIFT)) {
                tx.line.cut();
                assertThat(gift.gid()).isEqualTo(NESTED);
            }
            tx.line.mend();
            assertThatThrownBy(pay::commit).isInstanceOf(TransactionAbortedException.class);
        }
        assertThat(tx.end(GID)).isEqualTo(ABORTED);
        assertThat(tx.end(NESTED)).isEqualTo(ABORTED);
        assertThat(tx.calls).contains("cancel gift", "cancel coupon").doesNotContain("confirm gift");
    }

    @Test
    void tryingAllAgainLeavesANestedOneAsItIs() throws Exception {
        try (TccTransaction pay = tcc.begin(GID, COUPON)) {
            try (TccTransaction gift = pay.nested("gift", GIFT)) {
                gift.commit();
            }
            pay.tryAll();
            assertThat(tx.transactions.find(NESTED).orElseThrow().state()).isEqualTo(ACTIVE);
            pay.commit();
        }
        assertThat(tx.end(GID)).isEqualTo(COMMITTED);
        assertThat(tx.end(NESTED)).isEqualTo(COMMITTED);
        assertThat(tx.calls).contains("confirm gift").doesNotContain("cancel gift");
    }
}
