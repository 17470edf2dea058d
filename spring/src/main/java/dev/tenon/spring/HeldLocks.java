package dev.tenon.spring;

import dev.tenon.lock.LockEvent;
import dev.tenon.lock.Locks;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The locks that this process holds, by what {@link Locks} tell of them, so a moment late; and a warning in the log for
 * each that is lost. Thread-safe.
 */
final class HeldLocks implements AutoCloseable {
    private static final Log LOG = LogFactory.getLog(HeldLocks.class);

    private final Map<Key, Held> held = new ConcurrentHashMap<>();
    private final LongAdder granted = new LongAdder();
    private final LongAdder lost = new LongAdder();
    private final LockEvent.Subscription subscription;

    HeldLocks(Locks locks) {
        this.subscription = locks.listen(this::take);
    }

    private record Key(String name, long token) {}

    /**
     * A lock that is held.
     *
     * @param name of the lock
     * @param token of its lease
     * @param owner host, process and thread
     * @param since when this process was told of it
     * @param state held, or suspect: its last renewal failed
     */
    record Held(String name, long token, String owner, Instant since, String state) {}

    /** Now, by name. */
    List<Held> list() {
        return held.values().stream()
                .sorted(Comparator.comparing(Held::name).thenComparing(Held::token))
                .toList();
    }

    int count() {
        return held.size();
    }

    long granted() {
        return granted.sum();
    }

    long lost() {
        return lost.sum();
    }

    private void take(LockEvent event) {
        Key key = new Key(event.name(), event.token());
        switch (event.kind()) {
            case GRANTED -> {
                granted.increment();
                held.put(key, new Held(event.name(), event.token(), event.owner(), Instant.now(), "held"));
            }
            case SUSPECT -> held.computeIfPresent(key, (same, lock) -> in("suspect", lock));
            case RECOVERED -> held.computeIfPresent(key, (same, lock) -> in("held", lock));
            case REVOKE_ASKED ->
                LOG.info("Lock \"" + event.name() + "\" is wanted back by "
                        + event.detail().orElse("somebody"));
            case LOST -> {
                lost.increment();
                held.remove(key);
                LOG.warn("Lock \"" + event.name() + "\" (token " + event.token() + ") of " + event.owner()
                        + " is lost: " + event.detail().orElse("no reason given"));
            }
            case RELEASED -> held.remove(key);
        }
    }

    private static Held in(String state, Held lock) {
        return new Held(lock.name(), lock.token(), lock.owner(), lock.since(), state);
    }

    @Override
    public void close() {
        subscription.close();
    }
}
