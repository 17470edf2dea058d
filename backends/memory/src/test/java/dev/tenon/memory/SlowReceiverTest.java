package dev.tenon.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.TimeSource;
import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Reply;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.StuckAfter;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What waits for a receiver that was slow or broken is looked at as soon as it answers, not an hour later. */
class SlowReceiverTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final RetryPolicy RARELY =
            new RetryPolicy(Duration.ofHours(1), 1, Duration.ofHours(1), OptionalInt.empty());
    private static final TransactionOptions ONE_CALL_AT_A_TIME = new TransactionOptions(
            "shop",
            Duration.ofSeconds(60),
            Duration.ofSeconds(10),
            Duration.ofSeconds(1),
            100,
            4,
            Duration.ofDays(7),
            StuckAfter.DEFAULT,
            TimeSource.system());

    private final CountDownLatch held = new CountDownLatch(1);
    private final CountDownLatch called = new CountDownLatch(1);
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicBoolean broken = new AtomicBoolean();
    private final Participant receiver = call -> {
        calls.incrementAndGet();
        called.countDown();
        if (call.branch().equals("slow")) {
            held.await();
        }
        if (broken.get() || call.branch().equals("poison")) {
            throw new IllegalStateException("broken");
        }
        return Reply.done();
    };
    private final MemoryBackend backend = MemoryBackend.create();
    private final Transactions transactions =
            TransactionEngine.over(backend.transactions(), target -> Optional.of(receiver), ONE_CALL_AT_A_TIME);

    @AfterEach
    void close() {
        held.countDown();
        transactions.close();
        backend.close();
    }

    @Test
    void aCallThatWasNotMadeCountsAsNoneAndIsMadeWhenTheReceiverAnswers() throws InterruptedException {
        begin("slow", "slow");
        called.await();
        begin("next", "quick");
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> branch("next").lastError().isPresent());
        assertThat(branch("next").lastError().orElseThrow()).startsWith("not called");
        assertThat(branch("next").attempts()).isZero();
        held.countDown();
        ends("next");
    }

    @Test
    void whatFailedInAnOutageIsCalledAtOnceWhenTheReceiverAnswersAgain() throws InterruptedException {
        broken.set(true);
        for (int i = 0; i < 10; i++) {
            begin("failed-" + i, "quick");
            fails("failed-" + i);
        }
        broken.set(false);
        begin("first-after", "quick");
        for (int i = 0; i < 10; i++) {
            ends("failed-" + i);
        }
    }

    @Test
    void oneThatAlwaysFailsIsNotCalledWheneverOthersSucceed() throws InterruptedException {
        begin("poison", "poison");
        fails("poison");
        for (int i = 0; i < 10; i++) {
            begin("good-" + i, "quick");
            ends("good-" + i);
        }
        assertThat(branch("poison").attempts()).isEqualTo(1);
        assertThat(calls).hasValue(11);
    }

    private void begin(String gid, String branch) {
        transactions.begin(new TransactionDraft(
                new TransactionId(gid),
                TransactionKind.SAGA,
                "shop",
                "",
                "",
                Optional.empty(),
                TransactionState.ACTIVE,
                Duration.ofDays(1),
                RARELY,
                List.of(BranchRecord.planned(branch, Map.of(Operation.ACTION, "receiver"), ""))));
    }

    private void fails(String gid) {
        Awaitility.await().atMost(PATIENCE).until(() -> branch(gid).dueAt().isPresent());
    }

    private void ends(String gid) throws InterruptedException {
        assertThat(transactions.await(new TransactionId(gid), PATIENCE).state()).isEqualTo(TransactionState.COMMITTED);
    }

    private BranchRecord branch(String gid) {
        return transactions
                .find(new TransactionId(gid))
                .orElseThrow()
                .branches()
                .get(0);
    }
}
