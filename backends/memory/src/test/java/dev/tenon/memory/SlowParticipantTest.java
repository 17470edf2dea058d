package dev.tenon.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.TimeSource;
import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Participants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.StuckAfter;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionOutcome;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.saga.Saga;
import dev.tenon.tx.saga.Sagas;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Who waits for a participant that takes its time, and who does not. */
class SlowParticipantTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final RetryPolicy SOON = RetryPolicy.of("PT0.05S 1.5 PT0.5S");

    private static TransactionOptions options(int threads) {
        return new TransactionOptions(
                "shop",
                Duration.ofSeconds(5),
                Duration.ofMillis(500),
                Duration.ofMillis(20),
                5,
                threads,
                Duration.ofDays(1),
                StuckAfter.DEFAULT,
                TimeSource.system());
    }

    /** With calls that nothing ends but the test. */
    private static TransactionOptions patient(int batch, int threads) {
        return new TransactionOptions(
                "shop",
                Duration.ofMinutes(4),
                Duration.ofMinutes(2),
                Duration.ofHours(1),
                batch,
                threads,
                Duration.ofDays(1),
                StuckAfter.DEFAULT,
                TimeSource.system());
    }

    private static TransactionId begin(Transactions transactions, String target) {
        TransactionId gid = transactions.newId();
        transactions.begin(draft(gid, target, SOON));
        return gid;
    }

    private static TransactionDraft draft(TransactionId gid, String target, RetryPolicy retry) {
        return new TransactionDraft(
                gid,
                TransactionKind.SAGA,
                "shop",
                "",
                "",
                Optional.empty(),
                TransactionState.ACTIVE,
                Duration.ofHours(1),
                retry,
                List.of(BranchRecord.planned("a", Map.of(Operation.ACTION, target), "")));
    }

    private static void awaitDeaf(CountDownLatch latch) {
        boolean interrupted = false;
        while (true) {
            try {
                latch.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true; // a driver that does not hear
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void oneThatNeverComesBackTakesAQuarterOfTheThreadsAndTheOthersGoOn() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger now = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Participant slow = call -> {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
            awaitDeaf(end);
            now.decrementAndGet();
            return Reply.done();
        };
        // Several targets at one address are one participant.
        Participants remote = target -> target.startsWith("http://slow/") ? Optional.of(slow) : Optional.empty();
        NamedParticipants named = new NamedParticipants();
        try (MemoryBackend backend = MemoryBackend.create();
                Transactions transactions = TransactionEngine.over(backend.transactions(), named.or(remote), options(8))
                        .start()) {
            Sagas sagas = Sagas.over(transactions, named)
                    .register(Saga.named("fast", 1)
                            .step("a", call -> Reply.done())
                            .build());
            List<TransactionId> slowOnes = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                slowOnes.add(begin(transactions, "http://slow/" + i % 3));
            }
            await().atMost(PATIENCE).until(() -> now.get() == 2);
            for (int i = 0; i < 20; i++) {
                TransactionId gid = transactions.newId();
                sagas.start("fast", gid, "");
                assertThat(transactions.await(gid, PATIENCE).state()).isEqualTo(TransactionState.COMMITTED);
            }
            assertThat(most).hasValue(2);
            end.countDown();
            for (TransactionId gid : slowOnes) {
                await().atMost(PATIENCE).until(() -> transactions.outcome(gid) instanceof TransactionOutcome.Committed);
            }
            assertThat(most).hasValue(2);
        }
    }

    @Test
    void aChildThatEndsWakesItsParent() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        NamedParticipants named = new NamedParticipants();
        try (MemoryBackend backend = MemoryBackend.create();
                Transactions transactions = TransactionEngine.over(
                        backend.transactions(), named, TransactionOptions.DEFAULT.withService("shop"))) {
            Sagas sagas = Sagas.over(transactions, named)
                    .register(Saga.named("payment", 1)
                            .step("card", call -> {
                                end.await();
                                return Reply.done();
                            })
                            .build())
                    .register(Saga.named("order", 1)
                            .child("pay", "payment", call -> "{}")
                            .deadline(Duration.ofDays(1))
                            .retry(RetryPolicy.of("PT2H 1.0 PT2H"))
                            .build());
            TransactionId gid = new TransactionId("order-1");
            sagas.start("order", gid, "{}");
            // It has looked, and rests for two hours.
            await().atMost(PATIENCE)
                    .until(() -> transactions
                            .find(gid)
                            .filter(tx -> tx.progress().owner().isEmpty()
                                    && tx.branches().get(0).dueAt().isPresent())
                            .isPresent());
            end.countDown();
            await().atMost(PATIENCE).until(() -> transactions.outcome(gid) instanceof TransactionOutcome.Committed);
        }
    }

    @Test
    void whatHasBegunHereLeavesRecoveryItsPlaces() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger now = new AtomicInteger();
        Participant slow = call -> {
            now.incrementAndGet();
            end.await();
            return Reply.done();
        };
        Participants all = target -> Optional.of(target.equals("slow") ? slow : call -> Reply.done());
        try (MemoryBackend backend = MemoryBackend.create();
                Transactions transactions = TransactionEngine.over(backend.transactions(), all, patient(2, 8))) {
            begin(transactions, "slow");
            begin(transactions, "slow");
            await().atMost(PATIENCE).until(() -> now.get() == 2);
            TransactionId due = transactions.newId();
            backend.transactions().begin(draft(due, "healthy", SOON), Optional.empty(), Duration.ZERO);

            assertThat(transactions.runOnce()).isEqualTo(1);

            assertThat(transactions.outcome(due)).isInstanceOf(TransactionOutcome.Committed.class);
            end.countDown();
        }
    }

    @Test
    void aCallForWhichNoThreadWasFreeDoesNotCountTowardsItsLimit() {
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger now = new AtomicInteger();
        Participant slow = call -> {
            now.incrementAndGet();
            awaitDeaf(end);
            return Reply.done();
        };
        Participants all = target -> Optional.of(target.startsWith("slow") ? slow : call -> Reply.done());
        try (MemoryBackend backend = MemoryBackend.create();
                Transactions transactions = TransactionEngine.over(backend.transactions(), all, options(4))
                        .start()) {
            for (int i = 0; i < 4; i++) {
                begin(transactions, "slow" + i);
            }
            await().atMost(PATIENCE).until(() -> now.get() == 4);
            TransactionId gid = transactions.newId();
            transactions.begin(draft(gid, "healthy", SOON.upTo(1)));
            await().atMost(PATIENCE)
                    .until(() -> branch(backend, gid).lastError().isPresent()
                            || state(backend, gid).isFinal());
            assertThat(state(backend, gid)).isEqualTo(TransactionState.ACTIVE);
            assertThat(branch(backend, gid).lastError().orElseThrow()).contains("no thread was free");
            end.countDown();
            await().atMost(PATIENCE).until(() -> state(backend, gid).isFinal());
            assertThat(transactions.outcome(gid)).isInstanceOf(TransactionOutcome.Committed.class);
        } finally {
            end.countDown();
        }
    }

    @Test
    void aCallThatWasNotMadeBeforeTheProcessStopsDoesNotCountTowardsItsLimit() {
        AtomicInteger now = new AtomicInteger();
        CountDownLatch never = new CountDownLatch(1);
        Participant slow = call -> {
            now.incrementAndGet();
            never.await();
            return Reply.done();
        };
        Participants all = target -> Optional.of(slow);
        try (MemoryBackend backend = MemoryBackend.create()) {
            TransactionId gid;
            try (Transactions transactions = TransactionEngine.over(backend.transactions(), all, patient(2, 1))) {
                begin(transactions, "slow");
                await().atMost(PATIENCE).until(() -> now.get() == 1);
                gid = transactions.newId();
                transactions.begin(draft(gid, "healthy", SOON.upTo(1)));
            }
            await().atMost(PATIENCE)
                    .until(() -> backend.transactions()
                            .find(gid)
                            .filter(tx -> tx.progress().owner().isEmpty())
                            .isPresent());
            assertThat(state(backend, gid)).isEqualTo(TransactionState.ACTIVE);
            assertThat(branch(backend, gid).lastError()).contains("not called, as this process stops");
            assertThat(branch(backend, gid).attempts()).isZero();
        }
    }

    private static BranchRecord branch(MemoryBackend backend, TransactionId gid) {
        return backend.transactions().find(gid).orElseThrow().branches().get(0);
    }

    private static TransactionState state(MemoryBackend backend, TransactionId gid) {
        return backend.transactions().find(gid).orElseThrow().state();
    }
}
