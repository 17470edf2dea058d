package dev.tenon.server.quota;

import dev.tenon.OutcomeUnknownException;
import dev.tenon.server.access.LimitedResource;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.spi.TransactionFootprint;
import dev.tenon.tx.spi.TransactionStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The transactions that were begun here and have not ended, each charged to the key that began it; its bytes until a
 * while after its end, as a log remembers it for longer. Thread-safe; only {@link #runOnce} blocks.
 */
public final class TransactionQuota {
    /** How long the bytes of a transaction count after its end: a client may still ask what became of it. */
    public static final Duration REMEMBERED = Duration.ofSeconds(30);

    /** How many are looked up in a pass: those that ended elsewhere. */
    private static final int LOOKS = 100;

    private final ReentrantLock guard = new ReentrantLock();
    private final Map<String, Charge> open = new LinkedHashMap<>();
    private final Queue<Ended> ended = new ArrayDeque<>();
    private final Quotas quotas;
    private long refusals;

    private record Charge(String key, long bytes) {}

    private record Ended(Charge charge, long nanos) {}

    TransactionQuota(Quotas quotas) {
        this.quotas = quotas;
    }

    /** One that is about to begin. */
    public final class Beginning {
        private final String gid;
        private final boolean first;

        private Beginning(String gid, boolean first) {
            this.gid = gid;
            this.first = first;
        }

        /** It has begun, now or before. */
        public void begun(TransactionRecord tx) {
            if (tx.state().isFinal()) {
                TransactionQuota.this.ended(tx.gid());
            }
        }

        /** It has not begun, unless nobody knows. */
        public void failed(@Nullable Throwable failure) {
            if (first && !(failure instanceof OutcomeUnknownException)) {
                forget(gid);
            }
        }
    }

    /**
     * Makes room for a transaction.
     *
     * @param key the ID of the API key of whoever begins it; empty: none was asked for
     * @throws ProblemException if there are too many already, or they take too much
     */
    public Beginning begins(String key, TransactionDraft draft) {
        String gid = draft.gid().text();
        long bytes = TransactionFootprint.of(draft);
        guard.lock();
        try {
            if (open.containsKey(gid)) {
                return new Beginning(gid, false);
            }
            dropRemembered();
            quotas.enter(LimitedResource.TRANSACTIONS, key, bytes);
            open.put(gid, new Charge(key, bytes));
            return new Beginning(gid, true);
        } finally {
            guard.unlock();
        }
    }

    /** A transaction has ended. */
    void ended(TransactionId gid) {
        guard.lock();
        try {
            Charge charge = open.remove(gid.text());
            if (charge != null) {
                quotas.of(LimitedResource.TRANSACTIONS).give(charge.key(), 1);
                ended.add(new Ended(charge, System.nanoTime()));
            }
        } finally {
            guard.unlock();
        }
    }

    private void forget(String gid) {
        guard.lock();
        try {
            Charge charge = open.remove(gid);
            if (charge != null) {
                quotas.leave(LimitedResource.TRANSACTIONS, charge.key(), charge.bytes());
            }
        } finally {
            guard.unlock();
        }
    }

    private void dropRemembered() {
        long before = System.nanoTime() - REMEMBERED.toNanos();
        for (Ended first = ended.peek(); first != null && first.nanos() - before <= 0; first = ended.peek()) {
            ended.remove();
            quotas.of(LimitedResource.STATE)
                    .give(first.charge().key(), first.charge().bytes());
        }
    }

    /**
     * Gives back what is remembered no more; and, where something was refused since the last pass, what ended
     * elsewhere. Where those that have ended take more than their share of the room, the log forgets them before their
     * time, the oldest first.
     *
     * @param crowded whether they do
     */
    public void runOnce(TransactionStore store, BooleanSupplier crowded) {
        guard.lock();
        try {
            dropRemembered();
        } finally {
            guard.unlock();
        }
        long now = quotas.of(LimitedResource.TRANSACTIONS).refusals();
        if (now != refusals) {
            refusals = now;
            look(store);
        }
        boolean purged = true;
        while (purged && crowded.getAsBoolean()) {
            purged = store.purge(REMEMBERED, LOOKS) > 0;
        }
    }

    private void look(TransactionStore store) {
        for (int i = 0; i < LOOKS; i++) {
            Optional<String> oldest = rotate();
            if (oldest.isEmpty()) {
                return;
            }
            TransactionId gid = new TransactionId(oldest.get());
            if (store.find(gid).filter(tx -> !tx.state().isFinal()).isEmpty()) {
                ended(gid);
            }
        }
    }

    /** The one that was looked at longest ago, which is now the latest. */
    private Optional<String> rotate() {
        guard.lock();
        try {
            Iterator<Map.Entry<String, Charge>> all = open.entrySet().iterator();
            if (!all.hasNext()) {
                return Optional.empty();
            }
            Map.Entry<String, Charge> first = all.next();
            String gid = first.getKey();
            Charge charge = first.getValue();
            all.remove();
            open.put(gid, charge);
            return Optional.of(gid);
        } finally {
            guard.unlock();
        }
    }
}
