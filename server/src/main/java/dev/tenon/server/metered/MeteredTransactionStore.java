package dev.tenon.server.metered;

import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionPage;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.spi.Begun;
import dev.tenon.tx.spi.Claim;
import dev.tenon.tx.spi.TransactionStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A log of transactions whose calls are timed and whose answers are counted. Thread-safe. */
final class MeteredTransactionStore implements TransactionStore {
    private final TransactionStore store;
    private final CallTimer timer;
    private final TransactionCounters counters;

    MeteredTransactionStore(TransactionStore store, CallTimer timer, TransactionCounters counters) {
        this.store = store;
        this.timer = timer;
        this.counters = counters;
    }

    @Override
    public Instant now() {
        return store.now(); // takes no time, and is asked often
    }

    @Override
    public Begun begin(TransactionDraft draft, Optional<String> owner, Duration lease) {
        return timer.time("begin", () -> store.begin(draft, owner, lease), counters::begun);
    }

    @Override
    public Optional<TransactionRecord> find(TransactionId gid) {
        return timer.time("find", () -> store.find(gid));
    }

    @Override
    public Optional<TransactionRecord> update(
            TransactionRecord before, TransactionRecord after, List<TransactionEvent> events) {
        return timer.time(
                "update",
                () -> store.update(before, after, events),
                written -> written.ifPresent(tx -> counters.updated(before, after)));
    }

    @Override
    public List<TransactionRecord> claim(Claim claim) {
        return timer.time("claim", () -> store.claim(claim));
    }

    @Override
    public TransactionPage list(TransactionFilter filter, String after, int limit) {
        return timer.time("list", () -> store.list(filter, after, limit));
    }

    @Override
    public List<TransactionEvent> history(TransactionId gid) {
        return timer.time("history", () -> store.history(gid));
    }

    @Override
    public int purge(Duration retention, int limit) {
        return timer.time("purge", () -> store.purge(retention, limit));
    }

    @Override
    public int purge(String service, Duration retention, int limit) {
        return timer.time("purge", () -> store.purge(service, retention, limit));
    }
}
