package dev.tenon.tx.xa;

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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;

/** A log in memory that counts its writes, and fails at will. */
final class TestLog implements TransactionStore {
    private final ReentrantLock mutex = new ReentrantLock();
    private final TransactionTable table = new TransactionTable();
    final AtomicInteger begins = new AtomicInteger();
    final AtomicInteger updates = new AtomicInteger();
    final AtomicInteger reads = new AtomicInteger();

    /** What becomes of a beginning: it may throw before it, or after it. */
    volatile Function<Supplier<Begun>, Begun> atBegin = Supplier::get;

    /** Comes before a change, and may throw. */
    volatile Runnable atUpdate = () -> {};

    private <T> T alone(Supplier<T> work) {
        mutex.lock();
        try {
            return work.get();
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public Instant now() {
        return Instant.now();
    }

    @Override
    public Begun begin(TransactionDraft draft, Optional<String> owner, Duration lease) {
        begins.incrementAndGet();
        return atBegin.apply(() -> alone(() -> table.begin(draft, owner, lease, now())));
    }

    @Override
    public Optional<TransactionRecord> find(TransactionId gid) {
        reads.incrementAndGet();
        return alone(() -> table.find(gid));
    }

    @Override
    public Optional<TransactionRecord> update(
            TransactionRecord before, TransactionRecord after, List<TransactionEvent> events) {
        updates.incrementAndGet();
        atUpdate.run();
        return alone(() -> table.update(after, events, now()));
    }

    @Override
    public List<TransactionRecord> claim(Claim claim) {
        return alone(() -> table.claim(claim, now()));
    }

    @Override
    public TransactionPage list(TransactionFilter filter, String after, int limit) {
        return alone(() -> table.list(filter, after, limit, now()));
    }

    @Override
    public List<TransactionEvent> history(TransactionId gid) {
        return alone(() -> table.history(gid));
    }

    @Override
    public int purge(String service, Duration retention, int limit) {
        return alone(() -> table.purge(service, retention, limit, now()));
    }

    @Override
    public int purge(Duration retention, int limit) {
        return alone(() -> table.purge(retention, limit, now()));
    }
}
