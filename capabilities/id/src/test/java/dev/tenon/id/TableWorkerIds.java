package dev.tenon.id;

import dev.tenon.TenonException;
import dev.tenon.TimeSource;
import dev.tenon.id.machine.WorkerTable;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.id.spi.WorkerSlotView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A store of worker IDs whose clock is right, whatever the claimants' clocks do, and that can be made to fail. */
final class TableWorkerIds implements WorkerIdSource {
    private WorkerTable table = new WorkerTable();
    private List<WorkerTable.Group> copy = List.of();
    private String incarnation = "";
    private final TimeSource monotonic;
    private final Instant start;
    private final long startNanos;
    private final AtomicInteger calls = new AtomicInteger();
    private volatile @Nullable Supplier<TenonException> failing;
    private volatile boolean replyLost;
    private volatile @Nullable Supplier<TenonException> claimLost;

    TableWorkerIds(TimeSource monotonic) {
        this.monotonic = monotonic;
        this.start = monotonic.now();
        this.startNanos = monotonic.nanoTime();
    }

    private Instant now() {
        return start.plusNanos(monotonic.nanoTime() - startNanos);
    }

    /** Makes every call fail without effect, until {@code null}. */
    void failWith(@Nullable Supplier<TenonException> failure) {
        failing = failure;
    }

    /** Makes the next call take effect and then fail. */
    void loseNextReplyWith(Supplier<TenonException> failure) {
        failing = failure;
        replyLost = true;
    }

    /** Makes the next claim take effect and then fail. */
    void loseNextClaimWith(Supplier<TenonException> failure) {
        claimLost = failure;
    }

    int calls() {
        return calls.get();
    }

    /** Ends a lease as an operator or a fault in the store would. */
    synchronized void steal(int workerId) {
        table.export().get(0).entries().stream()
                .filter(entry -> entry.workerId() == workerId)
                .forEach(entry -> table.release(
                        "g",
                        new WorkerSlot(workerId, entry.claim(), entry.floor(), entry.fence()),
                        entry.fence(),
                        now()));
    }

    /** From now on it says of itself when it may have forgotten, and is empty. */
    synchronized void forgetAll() {
        table = new WorkerTable();
        incarnation += "again";
    }

    synchronized void copy() {
        copy = table.export();
    }

    /** Goes back to what was copied, as a restore does. */
    synchronized void restore() {
        table = WorkerTable.of(copy);
        incarnation += "again";
    }

    private synchronized <T> T call(Supplier<T> call) {
        calls.incrementAndGet();
        Supplier<TenonException> failure = failing;
        if (failure != null && !replyLost) {
            throw failure.get();
        }
        T result = call.get();
        if (failure != null) {
            replyLost = false;
            failing = null;
            throw failure.get();
        }
        return result;
    }

    @Override
    public WorkerSlot claim(WorkerClaim claim) {
        WorkerSlot slot =
                call(() -> table.claim("g", claim, incarnation, now())).orThrow("g");
        Supplier<TenonException> lost = claimLost;
        claimLost = null;
        if (lost != null) {
            throw lost.get();
        }
        return slot;
    }

    @Override
    public boolean renew(WorkerSlot slot, Duration lease, Instant fence) {
        return call(() -> table.renew("g", slot, lease, fence, now()));
    }

    @Override
    public void release(WorkerSlot slot, Instant lastUsed) {
        call(() -> {
            table.release("g", slot, lastUsed, now());
            return true;
        });
    }

    @Override
    public synchronized List<WorkerSlotView> census() {
        return table.census("g", now());
    }

    Instant fence(int workerId) {
        return census().stream()
                .filter(view -> view.workerId() == workerId)
                .findFirst()
                .orElseThrow()
                .fence();
    }

    boolean leased(int workerId) {
        return census().stream()
                .anyMatch(
                        view -> view.workerId() == workerId && !view.leaseLeft().isZero());
    }
}
