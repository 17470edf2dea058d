package dev.tenon.memory;

import dev.tenon.TimeSource;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionPage;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.spi.Begun;
import dev.tenon.tx.spi.Claim;
import dev.tenon.tx.spi.TransactionStore;
import dev.tenon.tx.spi.TransactionTable;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** A {@link TransactionTable} behind one mutex. */
final class MemoryTransactionStore implements TransactionStore {
    private final ReentrantLock mutex = new ReentrantLock();
    private final TransactionTable table = new TransactionTable();
    private final TimeSource time;

    MemoryTransactionStore(TimeSource time) {
        this.time = time;
    }

    @Override
    public Instant now() {
        return time.now();
    }

    @Override
    public Begun begin(TransactionDraft draft, Optional<String> owner, Duration lease) {
        return alone(() -> table.begin(draft, owner, lease, time.now()));
    }

    @Override
    public Optional<TransactionRecord> find(TransactionId gid) {
        return alone(() -> table.find(gid));
    }

    @Override
    public Optional<TransactionRecord> update(
            TransactionRecord before, TransactionRecord after, List<TransactionEvent> events) {
        return alone(() -> table.update(after, events, time.now()));
    }

    @Override
    public List<TransactionRecord> claim(Claim claim) {
        return alone(() -> table.claim(claim, time.now()));
    }

    @Override
    public TransactionPage list(TransactionFilter filter, String after, int limit) {
        return alone(() -> table.list(filter, after, limit, time.now()));
    }

    @Override
    public List<TransactionEvent> history(TransactionId gid) {
        return alone(() -> table.history(gid));
    }

    @Override
    public int purge(String service, Duration retention, int limit) {
        return alone(() -> table.purge(service, retention, limit, time.now()));
    }

    @Override
    public int purge(Duration retention, int limit) {
        return alone(() -> table.purge(retention, limit, time.now()));
    }

    private <T> T alone(Supplier<T> work) {
        mutex.lock();
        try {
            return work.get();
        } finally {
            mutex.unlock();
        }
    }
}
