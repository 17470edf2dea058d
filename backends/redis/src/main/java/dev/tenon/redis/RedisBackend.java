package dev.tenon.redis;

import dev.tenon.TimeSource;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.lock.Locks;
import dev.tenon.lock.spi.LockStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Locks, ranges and worker IDs in one Redis (6.2 or newer). What it guarantees, and what not, is in {@code
 * docs/backends/redis.md}: above all, Redis replicates and by default writes to disk only after it has answered, so a
 * fail-over or a power cut may lose a lock that was granted. Guard what must not break by the fencing token.
 *
 * <p>Owns two connections: one for commands, one for pushes once a lock session is open. Thread-safe.
 */
public final class RedisBackend implements AutoCloseable {
    private static final int SECONDS_BETWEEN_RUNS = 10;
    private static final String CLOCK = "clock";

    private final RedisWorkerIdSource.Scripts workerScripts = RedisWorkerIdSource.Scripts.onClock(CLOCK);
    private final RedisOptions options;
    private final RedisLink link;
    private final RedisLockStore lockStore;
    private final RedisRangeStore ranges;
    private final Locks locks;

    private RedisBackend(RedisOptions options, TimeSource time) {
        this.options = options;
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "tenon-redis-timer");
            thread.setDaemon(true);
            return thread;
        });
        RedisLockScripts lockScripts = RedisLockScripts.onClock(CLOCK);
        this.link = new RedisLink(options, time, timer);
        this.lockStore = new RedisLockStore(link, new RedisLockKeys(options.keyPrefix()), lockScripts, time);
        this.ranges = new RedisRangeStore(link, options.keyPrefix());
        this.locks = Locks.over(lockStore);
        List<RedisScript> scripts = new ArrayList<>(lockScripts.all());
        scripts.addAll(ranges.scripts());
        scripts.addAll(workerScripts.all());
        try {
            link.load(scripts);
        } catch (RuntimeException e) {
            link.close();
            throw e;
        }
        timer.scheduleWithFixedDelay(lockStore::runOnce, SECONDS_BETWEEN_RUNS, SECONDS_BETWEEN_RUNS, TimeUnit.SECONDS);
    }

    /**
     * Connects with default options.
     *
     * @param uri {@code redis://[user:password@]host[:port][/database]}, or {@code rediss://…} for TLS
     * @throws dev.tenon.BackendUnavailableException if there is no Redis that answers
     * @throws IllegalArgumentException if the URI is none of Redis
     */
    public static RedisBackend connect(String uri) {
        return connect(RedisOptions.of(uri));
    }

    /**
     * Connects.
     *
     * @throws dev.tenon.BackendUnavailableException if there is no Redis that answers
     * @throws IllegalArgumentException if the URI is none of Redis
     */
    public static RedisBackend connect(RedisOptions options) {
        return new RedisBackend(options, TimeSource.system());
    }

    /** The locks of this backend. */
    public Locks locks() {
        return locks;
    }

    /** The store of locks, for those who want locks with an owner or a clock of their own. */
    public LockStore lockStore() {
        return lockStore;
    }

    /** The store of number ranges. Its calls block: not for threads of a driver or an event loop. */
    public RangeStore ranges() {
        return ranges;
    }

    /** The worker IDs of one group. Its calls block: not for threads of a driver or an event loop. */
    public WorkerIdSource workerIds(String group) {
        return new RedisWorkerIdSource(link, workerScripts, options.keyPrefix(), group);
    }

    /** Gives back every lock that is held through this backend, and closes the connections. Idempotent. */
    @Override
    public void close() {
        locks.close();
        lockStore.close();
        link.close();
    }
}
