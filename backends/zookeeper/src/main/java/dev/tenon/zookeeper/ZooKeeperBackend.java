package dev.tenon.zookeeper;

import dev.tenon.Names;
import dev.tenon.TimeSource;
import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.lock.Locks;
import dev.tenon.lock.engine.RegisterLockStore;
import dev.tenon.lock.spi.MultiLockStore;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Locks, ranges, worker IDs, ID definitions and version numbers in one ZooKeeper ensemble (3.6 or newer). What it
 * guarantees, and what not, is in {@code docs/backends/zookeeper.md}: in short, what was acknowledged is on the disks
 * of a majority, and a minority that is cut off answers nothing.
 *
 * <p>Owns one session. Its calls block: not for threads of an event loop. Thread-safe.
 */
public final class ZooKeeperBackend implements AutoCloseable {
    private static final int LOCK_CALLS_AT_ONCE = 32;

    private final ZooKeeperLink link;
    private final RangeStore ranges;
    private final DefinitionStore definitions;
    private final RegisterLockStore lockStore;
    private final Locks locks;
    private final ConcurrentMap<String, WorkerIdSource> groups = new ConcurrentHashMap<>();

    private ZooKeeperBackend(ZooKeeperLink link) {
        this.link = link;
        this.ranges = new ZooKeeperRangeStore(link, ZooKeeperRangeStore.VERSION_MAX);
        this.definitions = new ZooKeeperDefinitionStore(link);
        this.lockStore = RegisterLockStore.over(
                new ZooKeeperRegisterStore(link),
                TimeSource.system(),
                RegisterLockStore.PRESENCE,
                "tenon-zookeeper",
                LOCK_CALLS_AT_ONCE);
        this.locks = Locks.over(lockStore);
    }

    /**
     * Connects with default options.
     *
     * @param connectString {@code host:port[,host:port…][/path]}, the addresses of the servers and, before the base
     *     path, a path that need not exist
     * @throws dev.tenon.BackendUnavailableException if no server answers in time, or it refuses
     * @throws IllegalArgumentException if the connect string is none of ZooKeeper
     */
    public static ZooKeeperBackend connect(String connectString) {
        return connect(connectString, ZooKeeperOptions.DEFAULT);
    }

    /**
     * Connects.
     *
     * @param connectString as in {@link #connect(String)}
     * @throws dev.tenon.BackendUnavailableException if no server answers in time, or it refuses
     * @throws IllegalArgumentException if the connect string is none of ZooKeeper
     */
    public static ZooKeeperBackend connect(String connectString, ZooKeeperOptions options) {
        return new ZooKeeperBackend(new ZooKeeperLink(connectString, options));
    }

    /** The locks of this backend. */
    public Locks locks() {
        return locks;
    }

    /** The store of locks, for those who want locks with an owner or a clock of their own. */
    public MultiLockStore lockStore() {
        return lockStore;
    }

    /** The store of number ranges. */
    public RangeStore ranges() {
        return ranges;
    }

    /** The definitions of IDs that a server keeps here. */
    public DefinitionStore definitions() {
        return definitions;
    }

    /** The worker IDs of one group. */
    public WorkerIdSource workerIds(String group) {
        Names.requireValid("worker group", group);
        return groups.computeIfAbsent(group, name -> new ZooKeeperWorkerIdSource(link, name));
    }

    /**
     * A generator of the versions of one node.
     *
     * @see ZooKeeperVersionGenerator
     */
    public ZooKeeperVersionGenerator nodeVersions(String name) {
        return ZooKeeperVersionGenerator.ofNode(link, name);
    }

    /**
     * A generator of the ensemble's transaction IDs.
     *
     * @see ZooKeeperVersionGenerator
     */
    public ZooKeeperVersionGenerator transactionIds() {
        return ZooKeeperVersionGenerator.ofTransactions(link);
    }

    ZooKeeperLink link() {
        return link;
    }

    /**
     * Gives back every lock that is held through this backend, and ends the session, waiting 2 seconds for that at
     * most. Worker IDs are not given back: their leases last until they end. Idempotent.
     */
    @Override
    public void close() {
        locks.close();
        lockStore.close();
        link.close();
    }

    /**
     * Ends the session and gives nothing back, as the end of the process would: what is held stays held until its lease
     * ends. For a process that holds on behalf of others, who go on. Idempotent.
     */
    public void disconnect() {
        lockStore.disconnect();
        link.close();
    }
}
