package dev.tenon.zookeeper;

import dev.tenon.BackendUnavailableException;
import dev.tenon.DaemonThreads;
import dev.tenon.TenonException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;

/**
 * The one session with the ensemble. Curator keeps it up, and begins a new one when the old one has expired; it repeats
 * nothing by itself, as only a store knows what may be repeated.
 */
final class ZooKeeperLink implements AutoCloseable {
    /** The client says that it is connected in two places, one of which is a moment later. */
    private static final long RECHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final byte[] NOTHING = {};

    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(2);

    private final CuratorFramework curator;
    private final String address;
    private final ZooKeeperPaths paths;
    private final Duration requestTimeout;
    private final List<ACL> acl;
    private final ZooKeeperRuns runs;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private volatile boolean closed;
    private volatile boolean down;
    private volatile long downSinceNanos;

    ZooKeeperLink(String connectString, ZooKeeperOptions options) {
        ConnectStringParser parsed = new ConnectStringParser(connectString);
        int chroot = connectString.indexOf('/');
        // Paths begin with the chroot instead of the connection, so that a missing one can be made.
        this.address = chroot < 0 ? connectString : connectString.substring(0, chroot);
        this.paths =
                new ZooKeeperPaths((parsed.getChrootPath() == null ? "" : parsed.getChrootPath()) + options.basePath());
        this.requestTimeout = options.requestTimeout();
        this.acl = options.credentials().isPresent() ? ZooDefs.Ids.CREATOR_ALL_ACL : ZooDefs.Ids.OPEN_ACL_UNSAFE;
        int sessionMillis = Math.toIntExact(options.sessionTimeout().toMillis());
        this.runs = new ZooKeeperRuns(address, sessionMillis);
        CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
                .connectString(address)
                // It would replace the addresses of the user by those that the servers know each other by.
                .ensembleTracker(false)
                .zookeeperFactory(ZooKeeperHandle::connect)
                .sessionTimeoutMs(sessionMillis)
                .connectionTimeoutMs(Math.toIntExact(requestTimeout.toMillis()))
                .retryPolicy((count, elapsed, sleeper) -> false)
                .threadFactory(ZooKeeperLink::daemon);
        options.credentials()
                .ifPresent(given -> builder.authorization("digest", given.getBytes(StandardCharsets.UTF_8)));
        this.curator = builder.build();
        curator.getConnectionStateListenable().addListener((client, state) -> {
            if (!state.isConnected() && !down) {
                downSinceNanos = System.nanoTime();
            }
            down = !state.isConnected();
            signal();
        });
        curator.start();
        try {
            makeBase();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    ZooKeeperPaths paths() {
        return paths;
    }

    String address() {
        return address;
    }

    /** To which run of a server its connections lead. */
    ZooKeeperRuns runs() {
        return runs;
    }

    List<ACL> acl() {
        return acl;
    }

    /**
     * Begins a call, waiting for the connection if it is down.
     *
     * @throws BackendUnavailableException if there is no connection within the request timeout
     */
    ZooKeeperCall begin() {
        long end = System.nanoTime() + requestTimeout.toNanos();
        return begin(end, end);
    }

    /**
     * Begins a call of one of many who share few threads: waits for the connection only until it has been down for the
     * request timeout, so that not each of them waits for that long, one after the other.
     *
     * @throws BackendUnavailableException if there is no connection by then
     */
    ZooKeeperCall beginOneOfMany() {
        long timeout = requestTimeout.toNanos();
        long end = System.nanoTime() + timeout;
        return begin(end, down ? downSinceNanos + timeout : end);
    }

    private ZooKeeperCall begin(long end, long connectionEnd) {
        awaitConnection(connectionEnd);
        try {
            return new ZooKeeperCall(this, handle(), end);
        } catch (Exception e) {
            throw new BackendUnavailableException("ZooKeeper at " + address + " can't be reached: " + e, e);
        }
    }

    /** The client of the present session; Curator does not say what it throws. */
    ZooKeeperHandle handle() throws Exception {
        return (ZooKeeperHandle) curator.getZookeeperClient().getZooKeeper();
    }

    private void awaitConnection(long end) {
        if (!closed && connected()) {
            return;
        }
        lock.lock();
        try {
            while (closed || !connected()) {
                long left = end - System.nanoTime();
                if (closed || left <= 0) {
                    throw new BackendUnavailableException(
                            closed
                                    ? "The connection to ZooKeeper at " + address + " was closed"
                                    : "ZooKeeper at " + address + " can't be reached: no connection in "
                                            + requestTimeout);
                }
                changed.awaitNanos(Math.min(left, RECHECK_NANOS));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BackendUnavailableException("Interrupted while waiting for ZooKeeper at " + address, e);
        } finally {
            lock.unlock();
        }
    }

    private boolean connected() {
        return curator.getZookeeperClient().isConnected();
    }

    private void signal() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Makes the nodes below which everything is, with their parents, as far as they are missing. */
    private void makeBase() {
        ZooKeeperCall call = begin();
        runs.askAhead(call);
        String clock = paths.clock();
        if (call.awaitRead(call.exists(clock))) {
            return;
        }
        List<String> nodes = new ArrayList<>(parents(clock));
        nodes.addAll(List.of(
                paths.ranges(),
                paths.workers(),
                paths.versions(),
                paths.transactions(),
                paths.locks(),
                paths.lockProcesses(),
                paths.lockNoticesRoot(),
                paths.lockRegisters()));
        make(call, nodes);
        // In one step, and so they are all there already or none of them.
        call.awaitWrite(call.attempt(paths.lockBuckets().stream()
                .map(path -> call.creation(path, NOTHING))
                .toList()));
        // The clock last: it says that the others are there.
        make(call, List.of(clock));
    }

    /**
     * Makes the node below which the groups of worker IDs are, in a ZooKeeper that has lost everything, for what is to
     * be told to it. Of the rest, no process that runs begins anew.
     */
    void makeWorkers() {
        List<String> nodes = new ArrayList<>(parents(paths.workers()));
        nodes.add(paths.workers());
        make(begin(), nodes);
    }

    private static List<String> parents(String path) {
        List<String> parents = new ArrayList<>();
        for (int slash = path.indexOf('/', 1); slash > 0; slash = path.indexOf('/', slash + 1)) {
            parents.add(path.substring(0, slash));
        }
        return parents;
    }

    /** Makes nodes in this order, as far as they are missing. */
    private static void make(ZooKeeperCall call, List<String> nodes) {
        List<CompletableFuture<Stat>> answers =
                nodes.stream().map(path -> call.create(path, NOTHING)).toList();
        for (int i = 0; i < answers.size(); i++) {
            try {
                call.awaitWrite(answers.get(i));
            } catch (ZooKeeperConflict e) {
                if (e.code() != Code.NODEEXISTS) {
                    throw new TenonException("Can't make " + nodes.get(i) + " in ZooKeeper: " + e.getMessage(), e);
                }
            }
        }
    }

    /** Does what may have to wait for a server that is not there. */
    static Thread inBackground(Runnable task) {
        Thread thread = daemon(task);
        thread.start();
        return thread;
    }

    private static Thread daemon(Runnable task) {
        return DaemonThreads.of("tenon-zookeeper", task);
    }

    @Override
    public void close() {
        closed = true;
        signal();
        // Curator waits for a server that may not be there.
        Thread closing = inBackground(curator::close);
        try {
            closing.join(CLOSE_LIMIT.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
