package dev.tenon.testkit.crash;

import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionRecord.Progress;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.spi.TransactionStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The transactions that a process has left open: lists them, and lets time pass for them, so that nobody has to wait
 * until the claim of a dead process is over. Immutable; as thread-safe as its log.
 */
public final class LeftOpen {
    private static final int PAGE = 1000;

    private final TransactionStore log;
    private final String service;

    private LeftOpen(TransactionStore log, String service) {
        this.log = Objects.requireNonNull(log, "log");
        this.service = Objects.requireNonNull(service, "service");
    }

    /** Those of a service: the first thousand in each state. */
    public static LeftOpen in(TransactionStore log, String service) {
        return new LeftOpen(log, service);
    }

    /** Those that have not ended. */
    public List<TransactionRecord> list() {
        List<TransactionRecord> open = new ArrayList<>();
        for (TransactionState state :
                List.of(TransactionState.ACTIVE, TransactionState.COMMITTING, TransactionState.ABORTING)) {
            TransactionFilter filter = TransactionFilter.ALL.in(state).ofService(service);
            open.addAll(log.list(filter, "", PAGE).transactions());
        }
        return open;
    }

    /**
     * Whether all have ended.
     *
     * @throws AssertionError if one is suspended: it waits for an operator, and recovery will not end it
     */
    public boolean isNothing() {
        List<TransactionRecord> open = list();
        open.stream().filter(tx -> tx.suspended().isPresent()).findFirst().ifPresent(tx -> {
            throw new AssertionError("Transaction " + tx.gid() + " is suspended: "
                    + tx.suspended().get());
        });
        return open.isEmpty();
    }

    /**
     * Lets so much time pass for those that are open: their claims and pauses are over so much earlier. Deadlines stay
     * as they were given: give short ones, which nobody enforces while no recovery runs. Whoever holds one loses it, as
     * after any other write.
     */
    public void age(Duration time) {
        for (TransactionRecord tx : list()) {
            Progress now = tx.progress();
            TransactionRecord aged = tx.with(now.due(now.dueAt().minus(time), now.owner()))
                    .withBranches(tx.branches().stream()
                            .map(branch -> aged(branch, time))
                            .toList());
            log.update(tx, aged, List.of()); // not if somebody was faster, who is at work then
        }
    }

    private static BranchRecord aged(BranchRecord branch, Duration time) {
        return new BranchRecord(
                branch.name(),
                branch.after(),
                branch.pivot(),
                branch.targets(),
                branch.payload(),
                branch.state(),
                branch.attempts(),
                branch.dueAt().map(at -> at.minus(time)),
                branch.result(),
                branch.lastError());
    }
}
