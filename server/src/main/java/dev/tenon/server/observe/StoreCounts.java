package dev.tenon.server.observe;

import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.StoreEvents;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.spi.Begun;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Counts what the answers of a store mean. Thread-safe. */
final class StoreCounts {
    private static final List<String> LOCK_EVENTS =
            List.of("granted", "handed_over", "busy", "gave_up", "released", "lost", "evicted", "revoke_asked");
    private static final List<String> TRANSACTION_EVENTS =
            List.of("begun", "committed", "aborted", "closed", "suspended", "stuck");
    private static final List<String> SESSION_EVENTS = List.of("opened", "closed", "expired");

    private final Metrics metrics;
    private final Map<Worker, Long> workerLeaseEnds = new ConcurrentHashMap<>();

    private record Worker(int workerId, long claim, java.time.Instant floor) {
        static Worker of(WorkerSlot slot) {
            return new Worker(slot.workerId(), slot.claim(), slot.floor());
        }
    }

    StoreCounts(Metrics metrics) {
        this.metrics = metrics;
        LOCK_EVENTS.forEach(event -> lock(event, 0));
        SESSION_EVENTS.forEach(event -> session(event, 0));
        for (TransactionKind kind : TransactionKind.values()) {
            TRANSACTION_EVENTS.forEach(event -> transaction(kind, event, 0));
        }
        worker("lost", 0);
        metrics.gauge("tenon.worker.ids.held", "Worker IDs that this server holds", workerLeaseEnds::size);
        metrics.gauge(
                "tenon.worker.lease.left.seconds",
                "What is left of the worker ID's lease that ends first; NaN if none is held",
                this::leaseLeft);
    }

    private Number leaseLeft() {
        long now = System.nanoTime();
        return workerLeaseEnds.values().stream()
                .mapToDouble(end -> (end - now) / 1e9)
                .min()
                .orElse(Double.NaN);
    }

    /**
     * @param call what was called, such as {@code locks.acquire}
     * @param given its arguments
     * @param answer not a failure
     */
    void answered(String call, Object[] given, @Nullable Object answer) {
        if (answer instanceof WorkerSlot slot && given[0] instanceof WorkerClaim claim) {
            held(slot, claim.lease());
        } else if (answer instanceof List<?> several) {
            several.forEach(one -> counted(call, one));
        } else {
            counted(call, answer);
        }
        switch (call) {
            case "locks.open" -> session("opened", 1);
            case "locks.closeSession" -> session("closed", 1);
            case "workers.renew" -> renewed((WorkerSlot) given[0], (Duration) given[1], Boolean.TRUE.equals(answer));
            case "transactions.begin" -> begun(answer);
            case "transactions.update" -> updated(given, answer);
            case "workers.release" -> workerLeaseEnds.remove(Worker.of((WorkerSlot) given[0]));
            default -> {}
        }
    }

    private void counted(String call, @Nullable Object answer) {
        if (answer instanceof Outcome.Granted) {
            lock("granted", 1);
        } else if (answer instanceof Outcome.Busy) {
            lock("busy", 1);
        } else if (answer instanceof Cancelled.Gone) {
            lock("gave_up", 1);
        } else if (answer instanceof Released released) {
            lock(released == Released.NOT_HELD ? "lost" : "released", 1);
        } else if (answer instanceof Renewed.NotHeld) {
            lock("lost", 1);
        } else if (call.equals("locks.evict") && answer instanceof Optional<?> floor && floor.isPresent()) {
            lock("evicted", 1);
        } else if (call.equals("locks.revoke") && answer instanceof Integer asked) {
            lock("revoke_asked", asked);
        }
    }

    private void begun(@Nullable Object answer) {
        if (answer instanceof Begun.Created created) {
            transaction(created.transaction().kind(), "begun", 1);
        }
    }

    private void updated(Object[] given, @Nullable Object answer) {
        boolean written = answer instanceof Optional<?> maybe && maybe.isPresent();
        if (written && given[0] instanceof TransactionRecord before && given[1] instanceof TransactionRecord after) {
            if (after.state().isFinal() && !before.state().isFinal()) {
                transaction(after.kind(), after.state().name().toLowerCase(Locale.ROOT), 1);
            }
            if (!after.state().isFinal()
                    && after.suspended().isPresent()
                    && before.suspended().isEmpty()) {
                transaction(after.kind(), "suspended", 1);
            }
            if (after.stuckAt().isPresent() && before.stuckAt().isEmpty()) {
                transaction(after.kind(), "stuck", 1);
            }
        }
    }

    private void held(WorkerSlot slot, Duration lease) {
        workerLeaseEnds.put(Worker.of(slot), System.nanoTime() + nanos(lease));
    }

    private void renewed(WorkerSlot slot, Duration lease, boolean extended) {
        if (extended) {
            held(slot, lease);
        } else if (workerLeaseEnds.remove(Worker.of(slot)) != null) {
            worker("lost", 1);
        }
    }

    /** A lease may be as long as a year. */
    private static long nanos(Duration lease) {
        return TimeUnit.MILLISECONDS.toNanos(lease.toMillis());
    }

    /** The same events, counted. */
    StoreEvents over(StoreEvents events) {
        return new Counting(events);
    }

    private void lock(String event, long times) {
        metrics.count("tenon.lock.events", "What became of locks", event, times);
    }

    private void session(String event, long times) {
        metrics.count("tenon.session.events", "What became of sessions", event, times);
    }

    private void transaction(TransactionKind kind, String event, long times) {
        metrics.count("tenon.transaction.events", "What became of transactions", kind.text(), event, times);
    }

    private void worker(String event, long times) {
        metrics.count("tenon.worker.events", "What became of worker IDs", event, times);
    }

    private final class Counting implements StoreEvents {
        private final StoreEvents events;

        private Counting(StoreEvents events) {
            this.events = events;
        }

        @Override
        public void granted(Grant grant) {
            lock("handed_over", 1);
            events.granted(grant);
        }

        @Override
        public void revokeAsked(Revocation revocation) {
            events.revokeAsked(revocation);
        }

        @Override
        public void sessionLost(String sessionId) {
            session("expired", 1);
            events.sessionLost(sessionId);
        }

        /** Counted where it was closed. */
        @Override
        public void sessionClosed(String sessionId) {
            events.sessionClosed(sessionId);
        }

        @Override
        public void resync() {
            events.resync();
        }

        /** The same line is the same, counted or not. */
        @Override
        public boolean equals(Object other) {
            return other instanceof Counting that && that.events.equals(events);
        }

        @Override
        public int hashCode() {
            return events.hashCode();
        }
    }
}
