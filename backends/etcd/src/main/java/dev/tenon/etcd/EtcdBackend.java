package dev.tenon.etcd;

import dev.tenon.TimeSource;
import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.lock.Locks;
import dev.tenon.lock.engine.RegisterLockStore;
import dev.tenon.lock.spi.MultiLockStore;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Locks, number ranges, worker IDs and ID definitions in one etcd cluster (3.4 or newer). What it guarantees, and what
 * not, is in {@code docs/backends/etcd.md}.
 *
 * <p>Owns one connection to each endpoint. Thread-safe.
 */
public final class EtcdBackend implements AutoCloseable {
    private static final int LOCK_CALLS_AT_ONCE = 64;

    private final Map<EtcdSlotLeases.Key, EtcdSlotLeases.Held> held = new ConcurrentHashMap<>();
    private final EtcdOptions options;
    private final EtcdLink link;
    private final EtcdRangeStore ranges;
    private final DefinitionStore definitions;
    private final RegisterLockStore lockStore;
    private final Locks locks;

    private EtcdBackend(EtcdOptions options, TimeSource time, Duration presence) {
        this.options = options;
        this.link = new EtcdLink(options, time);
        this.ranges = new EtcdRangeStore(link, options.keyPrefix());
        try {
            ranges.definition("connected");
        } catch (RuntimeException e) {
            link.close();
            throw e;
        }
        this.definitions = new EtcdDefinitionStore(link, options.keyPrefix());
        this.lockStore = RegisterLockStore.over(
                new EtcdRegisterStore(link, options.keyPrefix()), time, presence, "tenon-etcd", LOCK_CALLS_AT_ONCE);
        this.locks = Locks.over(lockStore);
    }

    /**
     * Connects with default options.
     *
     * @param endpoints members of one cluster, each {@code http://host:port} or {@code https://host:port}
     * @throws dev.tenon.BackendUnavailableException if none of them answers, or etcd has no leader
     * @throws IllegalArgumentException if an endpoint is malformed
     */
    public static EtcdBackend connect(String... endpoints) {
        return connect(EtcdOptions.of(endpoints));
    }

    /**
     * Connects.
     *
     * @throws dev.tenon.BackendUnavailableException if no member answers, etcd has no leader, or it refuses the user
     * @throws IllegalArgumentException if certificates can't be read
     */
    public static EtcdBackend connect(EtcdOptions options) {
        return connect(options, RegisterLockStore.PRESENCE);
    }

    /** @param presence how long this process is taken to be there after its last sign of life */
    static EtcdBackend connect(EtcdOptions options, Duration presence) {
        return new EtcdBackend(options, TimeSource.system(), presence);
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

    /**
     * The definitions of IDs that a server keeps here. Its calls block: not for threads of a driver or an event loop.
     */
    public DefinitionStore definitions() {
        return definitions;
    }

    /** The worker IDs of one group. Its calls block: not for threads of a driver or an event loop. */
    public WorkerIdSource workerIds(String group) {
        return new EtcdWorkerIdSource(link, new EtcdSlotKeys(options.keyPrefix(), group), held);
    }

    /** Gives back what this process holds, and closes its connections; leases of worker IDs run out. Idempotent. */
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
        lockStore.disconnect();
        link.close();
    }
}
