package dev.tenon.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.testkit.RecordedEvents;
import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.Operation;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.spi.Begun;
import dev.tenon.tx.spi.TransactionStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a state that has its greatest size still takes, and what it does not. */
class StateLimitTest {
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final long MAX = 1 << 20;

    @TempDir
    Path folder;

    private RaftBackend raft;
    private TransactionStore transactions;

    @BeforeEach
    void open() {
        raft = RaftBackend.open(folder, RaftOptions.DEFAULT.withMaxStateBytes(MAX));
        transactions = raft.transactions();
        raft.lockStore()
                .open(new SessionSpec("s", "o", LONG), new RecordedEvents())
                .toCompletableFuture()
                .join();
    }

    @AfterEach
    void close() {
        raft.close();
    }

    private static Acquire acquire(String name, String requestId, Duration wait) {
        return new Acquire(name, "s", requestId, "o", Optional.of(LONG), wait, Acquire.Terms.EXCLUSIVE);
    }

    private Outcome take(String name, String requestId, Duration wait) {
        return raft.lockStore()
                .acquire(acquire(name, requestId, wait))
                .toCompletableFuture()
                .join();
    }

    private static long token(Outcome outcome) {
        return ((Outcome.Granted) outcome).token();
    }

    private TransactionRecord begin(String gid, int size) {
        Begun begun =
                transactions.begin(TransactionCommands.draft(gid, "p".repeat(size)), Optional.of("o"), Duration.ZERO);
        return begun.transaction();
    }

    private void fill() {
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 100_000; i++) {
                        begin("fill" + i, 60_000);
                    }
                })
                .isInstanceOf(StateFullException.class)
                .hasMessageContaining("MiB");
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 100_000; i++) {
                        raft.definitions().putIfAbsent("fill" + i, "text");
                    }
                })
                .isInstanceOf(StateFullException.class);
        assertThat(raft.usage().bytes()).isBetween(MAX * 9 / 10, MAX);
    }

    private static void assertFull(CompletionStage<?> stage) {
        assertThatThrownBy(() -> stage.toCompletableFuture().join())
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(StateFullException.class);
    }

    @Test
    void whatAddsIsRefusedAndWhatContinuesOrEndsIsNot() {
        long held = token(take("held", "r1", Duration.ZERO));
        assertThat(take("held", "r2", LONG)).isInstanceOf(Outcome.Queued.class);
        raft.ranges().next("range", 1);
        WorkerClaim claim = new WorkerClaim("c", "o", "layout", 16, LONG, Instant.EPOCH, LONG).inNewStore();
        raft.workerIds("workers").claim(claim);
        fill();

        assertFull(raft.lockStore().acquire(acquire("new", "r3", Duration.ZERO)));
        assertFull(raft.lockStore().acquire(acquire("held", "r3", LONG)));
        assertFull(raft.lockStore().acquireAll(List.of(acquire("new", "r3", Duration.ZERO))));
        assertFull(raft.lockStore().open(new SessionSpec("s2", "o", LONG), new RecordedEvents()));
        assertThatThrownBy(() -> raft.ranges().next("other", 1)).isInstanceOf(StateFullException.class);
        assertThatThrownBy(() -> raft.workerIds("others").claim(claim)).isInstanceOf(StateFullException.class);

        assertThat(take("held", "r2", LONG)).as("repeated").isInstanceOf(Outcome.Queued.class);
        assertThat(raft.ranges().next("range", 1).first()).isEqualTo(2);
        assertThat(raft.workerIds("workers").claim(claim).workerId()).isZero();
        assertThat(raft.lockStore().keepAlive("s").toCompletableFuture().join()).isTrue();
        raft.lockStore()
                .renew(List.of(new Renew("held", held, Optional.of(LONG))))
                .toCompletableFuture()
                .join();
        raft.lockStore().cancel(new Cancel("held", "r2")).toCompletableFuture().join();
        raft.lockStore()
                .release(List.of(new Release("held", held)))
                .toCompletableFuture()
                .join();
        assertThat(raft.usage().locks()).isZero();
        raft.lockStore().closeSession("s").toCompletableFuture().join();
        assertThat(raft.usage().sessions()).isZero();
    }

    @Test
    void aTransactionGoesOnAndEndsAndMakesRoom() {
        TransactionRecord tx = begin("t", 10);
        fill();
        assertThat(begin("t", 10)).as("begun once more").isEqualTo(tx);

        List<BranchRecord> more = new ArrayList<>(tx.branches());
        more.add(BranchRecord.planned("more", Map.of(Operation.ACTION, "do"), "p"));
        assertThatThrownBy(() -> transactions.update(tx, tx.withBranches(more), List.of()))
                .isInstanceOf(StateFullException.class);
        List<TransactionEvent> lines = Collections.nCopies(101, new TransactionEvent(Instant.EPOCH, "e", "b", "d"));
        assertThatThrownBy(() -> transactions.update(tx, tx, lines)).isInstanceOf(StateFullException.class);

        TransactionRecord moved = transactions
                .update(tx, tx.change("pay", b -> b.called(b.state()).withResult("paid")), lines.subList(0, 1))
                .orElseThrow();
        TransactionRecord decided = transactions
                .update(moved, moved.in(TransactionState.ABORTING), lines)
                .orElseThrow();
        transactions
                .update(decided, decided.in(TransactionState.ABORTED), List.of())
                .orElseThrow();
        StateUsage full = raft.usage();
        assertThat(full.endedBytes()).isPositive();
        for (int i = 0; i < 3; i++) {
            TransactionRecord one =
                    transactions.find(new TransactionId("fill" + i)).orElseThrow();
            TransactionRecord aborting = transactions
                    .update(one, one.in(TransactionState.ABORTING), List.of())
                    .orElseThrow();
            transactions.update(aborting, aborting.in(TransactionState.ABORTED), List.of());
        }
        assertThat(raft.usage().openTransactions()).isEqualTo(full.openTransactions() - 3);
        assertThat(transactions.purge(Duration.ofNanos(-1), 10)).isEqualTo(4);
        assertThat(raft.usage().bytes()).isLessThan(MAX - 3 * 60_000);
        begin("again", 60_000);
    }

    @Test
    void aStateThatDoesNotFitTheHeapIsRefusedWithTheHeapThatItNeeds() {
        fill();
        byte[] snapshot = new byte[0];
        Replica replica = new Replica();
        ReplicaState state = new ReplicaState();
        for (int i = 0; i < 100; i++) {
            state.transactions()
                    .begin(
                            TransactionCommands.draft("t" + i, "p".repeat(60_000)),
                            Optional.empty(),
                            LONG,
                            Instant.EPOCH);
        }
        snapshot = SnapshotCodec.encode(state);
        HeapCheck small = new HeapCheck(folder, 8 << 20);
        java.nio.ByteBuffer bytes = java.nio.ByteBuffer.wrap(snapshot);
        assertThatThrownBy(() -> replica.restore(bytes, small))
                .isInstanceOf(DataFolderException.class)
                .hasMessageContaining("heap of 8 MiB")
                .hasMessageContaining("-Xmx64m");
        replica.restore(bytes, new HeapCheck(folder, 64 << 20));
        assertThat(replica.usage().openTransactions()).isEqualTo(100);
    }
}
