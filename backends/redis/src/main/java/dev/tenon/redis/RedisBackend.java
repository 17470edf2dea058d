package dev.tenon.redis;

import dev.tenon.DaemonThreads;
import dev.tenon.TimeSource;
import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.lock.Locks;
import dev.tenon.lock.spi.MultiLockStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Locks, ranges, worker IDs and ID definitions in Redis (6.2 or newer): one server, one that Sentinels name, or a
 * cluster. What it guarantees, and what not, is in {@code docs/backends/redis.md}: above all, Redis replicates and by
 * default writes to disk only after it has answered, so a fail-over or a power cut may lose a lock that was granted.
 * Guard what must not break by the fencing token.
 *
 * <p>Owns two connections: one for commands (in a cluster, one to each master), one for pushes once a lock session is
 * open. Thread-safe.
 */
public final class RedisBackend implements AutoCloseable {
    private static final int SECONDS_BETWEEN_RUNS = 10;
    private static final String CLOCK = "clock";

    private final RedisWorkerIdSource.Scripts workerScripts = RedisWorkerIdSource.Scripts.onClock(CLOCK);
    private final RedisOptions options;
    private final RedisLink link;
    private final RedisLockStore lockStore;
    private final RedisRangeStore ranges;
    private final RedisDefinitionStore definitions;
    private final RedisFence fence;
    private final Locks locks;

    private RedisBackend(RedisOptions options, TimeSource time) {
        this.options = options;
        ScheduledExecutorService timer =
                Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("tenon-redis-timer"));
        RedisLockScripts lockScripts = RedisLockScripts.onClock(CLOCK);
        this.link = new RedisLink(options, time, timer);
        this.lockStore = new RedisLockStore(
                link, new RedisLockKeys(options.keyPrefix()), lockScripts, time, options.commandTimeout());
        this.ranges = new RedisRangeStore(link, options.keyPrefix());
        this.definitions = new RedisDefinitionStore(link, options.keyPrefix());
        RedisScript fenceScript = RedisFence.script();
        this.fence = new RedisFence(link, fenceScript, options.keyPrefix());
        this.locks = Locks.over(lockStore);
        List<RedisScript> scripts = new ArrayList<>(lockScripts.all());
        scripts.addAll(ranges.scripts());
        scripts.addAll(definitions.scripts());
        scripts.addAll(workerScripts.all());
        scripts.add(fenceScript);
        try {
            link.load(scripts);
        } catch (RuntimeException e) {
            link.close();
            throw e;
        }
        timer.scheduleWithFixedDelay(lockStore::watchPushes, 1, 1, TimeUnit.SECONDS);
        timer.scheduleWithFixedDelay(lockStore::runOnce, SECONDS_BETWEEN_RUNS, SECONDS_BETWEEN_RUNS, TimeUnit.SECONDS);
    }

    /**
     * Connects with default options.
     *
     * @param uri of one Redis, of Sentinels or of a cluster: see {@link RedisOptions}
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
    public MultiLockStore lockStore() {
        return lockStore;
    }

    /** The store of number ranges. Its calls block: not for threads of a driver or an event loop. */
    public RangeStore ranges() {
        return ranges;
    }

    /** The store of ID definitions. Its calls block: not for threads of a driver or an event loop. */
    public DefinitionStore definitions() {
        return definitions;
    }

    /** The worker IDs of one group. Its calls block: not for threads of a driver or an event loop. */
    public WorkerIdSource workerIds(String group) {
        return new RedisWorkerIdSource(link, workerScripts, options.keyPrefix(), group);
    }

    /** Writes that are refused to holders whose lease is over. Its calls block. */
    public RedisFence fence() {
        return fence;
    }

    /** Gives back every lock that is held through this backend, and closes the connections. Idempotent. */
    @Override
    public void close() {
        locks.close();
        lockStore.close();
        link.close();
    }

    /**
     * Closes the connections and gives nothing back, as the end of the process would: what is held stays held until its
     * lease ends. For a process that holds on behalf of others, who go on. Idempotent.
     */
    public void disconnect() {
        link.close();
    }
}
