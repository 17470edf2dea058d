package dev.tenon.raft;

import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionPage;
import dev.tenon.tx.TransactionPosition;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.spi.Begun;
import dev.tenon.tx.spi.Claim;
import dev.tenon.tx.spi.TransactionStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * {@link TransactionStore} in the replicated log. Reads go through the log as well, with two exceptions that write
 * nothing to it: {@link #now} is this node's reckoning of the log's time, and {@link #claim} looks at what this node
 * knows first, so that nodes that look for work every second, and find none, leave no trace. A look that is behind
 * finds what is due a moment later. Thread-safe.
 */
final class RaftTransactionStore implements TransactionStore {
    private static final int PAGE_MAX = 1000;
    private static final int PURGE_MAX = 10_000;

    private final CommandLog log;
    private final Replica replica;
    private final Supplier<Instant> clock;

    /** @param clock the log's time, as this node reckons it */
    RaftTransactionStore(CommandLog log, Replica replica, Supplier<Instant> clock) {
        this.log = log;
        this.replica = replica;
        this.clock = clock;
    }

    @Override
    public Instant now() {
        return clock.get();
    }

    @Override
    public Begun begin(TransactionDraft draft, Optional<String> owner, Duration lease) {
        Objects.requireNonNull(draft, "draft");
        return submit(new TransactionCommand.BeginTransaction(draft, owner, lease));
    }

    @Override
    public Optional<TransactionRecord> find(TransactionId gid) {
        return submit(new TransactionCommand.FindTransaction(gid));
    }

    @Override
    public Optional<TransactionRecord> update(
            TransactionRecord before, TransactionRecord after, List<TransactionEvent> events) {
        return submit(TransactionCommand.UpdateTransaction.of(before, after, events));
    }

    @Override
    public List<TransactionRecord> claim(Claim claim) {
        Instant now = now();
        boolean due = replica.look(state -> state.transactions().nextDue(claim.service()))
                .filter(at -> !at.isAfter(now))
                .isPresent();
        return due ? submit(new TransactionCommand.ClaimTransactions(claim)) : List.of();
    }

    @Override
    public TransactionPage list(TransactionFilter filter, String after, int limit) {
        requireLimit(limit, PAGE_MAX);
        TransactionPosition.parse(after); // what can't be a place is not for the log
        return submit(new TransactionCommand.ListTransactions(filter, after, limit));
    }

    @Override
    public List<TransactionEvent> history(TransactionId gid) {
        return submit(new TransactionCommand.FindHistory(gid));
    }

    @Override
    public int purge(String service, Duration retention, int limit) {
        requireLimit(limit, PURGE_MAX);
        return submit(new TransactionCommand.PurgeService(service, retention, limit));
    }

    @Override
    public int purge(Duration retention, int limit) {
        requireLimit(limit, PURGE_MAX);
        return submit(new TransactionCommand.PurgeTransactions(retention, limit));
    }

    private static void requireLimit(int limit, int max) {
        if (limit < 1 || limit > max) {
            throw new IllegalArgumentException("A limit of 1 to " + max + " is needed, not " + limit);
        }
    }

    private <R> R submit(TransactionCommand<R> command) {
        return Blocking.await(log.submit(command));
    }
}
