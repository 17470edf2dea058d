package dev.tenon.zookeeper;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * The client of one session, which counts the session's connections: between two of them the server may have been
 * restarted. It counts on the thread that brings the answers, before the first answer over the new connection.
 * Thread-safe.
 */
@SuppressWarnings("try") // its close() throws what that of ZooKeeper's own client throws
final class ZooKeeperHandle extends ZooKeeper {
    private final AtomicInteger connections;
    private volatile @Nullable ZooKeeperRun run;

    private ZooKeeperHandle(
            String address, int timeoutMillis, Watcher watcher, boolean readOnly, AtomicInteger connections)
            throws IOException {
        super(address, timeoutMillis, watcher, readOnly);
        this.connections = connections;
    }

    /** Begins to connect, as the constructor of ZooKeeper's own client does. */
    static ZooKeeperHandle connect(String address, int timeoutMillis, Watcher watcher, boolean readOnly)
            throws IOException {
        AtomicInteger connections = new AtomicInteger();
        Watcher counting = event -> {
            if (event.getType() == EventType.None && event.getState() == KeeperState.SyncConnected) {
                connections.incrementAndGet();
            }
            watcher.process(event);
        };
        return new ZooKeeperHandle(address, timeoutMillis, counting, readOnly, connections);
    }

    /** The number of the present connection, or of the last one; the first is 1. */
    int connection() {
        return connections.get();
    }

    /** To which run of a server the present connection leads; null: not known yet. */
    @Nullable
    ZooKeeperRun run() {
        ZooKeeperRun known = run;
        return known != null && known.connection() == connection() ? known : null;
    }

    void run(ZooKeeperRun known) {
        run = known;
    }
}
