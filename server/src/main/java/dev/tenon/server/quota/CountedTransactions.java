package dev.tenon.server.quota;

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

/** A log of transactions that tells a quota which of them have ended. Thread-safe. */
final class CountedTransactions implements TransactionStore {
    private final TransactionStore store;
    private final TransactionQuota quota;

    CountedTransactions(TransactionStore store, TransactionQuota quota) {
        this.store = store;
        this.quota = quota;
    }

    @Override
    public Instant now() {
        return store.now();
    }

    @Override
    public Begun begin(TransactionDraft draft, Optional<String> owner, Duration lease) {
        return store.begin(draft, owner, lease);
    }

    @Override
    public Optional<TransactionRecord> find(TransactionId gid) {
        return store.find(gid);
    }

    @Override
    public Optional<TransactionRecord> update(
            TransactionRecord before, TransactionRecord after, List<TransactionEvent> events) {
        Optional<TransactionRecord> updated = store.update(before, after, events);
        updated.filter(tx -> tx.state().isFinal()).ifPresent(tx -> quota.ended(tx.gid()));
        return updated;
    }

    @Override
    public List<TransactionRecord> claim(Claim claim) {
        return store.claim(claim);
    }

    @Override
    public TransactionPage list(TransactionFilter filter, String after, int limit) {
        return store.list(filter, after, limit);
    }

    @Override
    public List<TransactionEvent> history(TransactionId gid) {
        return store.history(gid);
    }

    @Override
    public int purge(String service, Duration retention, int limit) {
        return store.purge(service, retention, limit);
    }

    @Override
    public int purge(Duration retention, int limit) {
        return store.purge(retention, limit);
    }
}
