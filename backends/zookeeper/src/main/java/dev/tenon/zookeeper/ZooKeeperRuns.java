package dev.tenon.zookeeper;

import dev.tenon.BackendUnavailableException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;

/**
 * Finds out to which run of a server a connection leads, as a server that runs alone may come back from a restart with
 * older data, and says nothing of it.
 *
 * <p>What tells is the number of a session that was begun in that run: a server counts from where its machine's clock
 * since the boot stood when it started (ZooKeeper's {@code SessionTrackerImpl.initializeNextSessionId}). A session
 * survives a restart, with its number; so where its first connection was lost, another session is begun for the number,
 * and ended. Thread-safe.
 */
final class ZooKeeperRuns {
    /** Where the servers of an ensemble keep who they are; empty with one that runs alone. */
    private static final String CONFIGURATION = "/zookeeper/config";

    private final String address;
    private final int timeoutMillis;

    ZooKeeperRuns(String address, int timeoutMillis) {
        this.address = address;
        this.timeoutMillis = timeoutMillis;
    }

    /** Asks, and waits for no answer: it is there before the answer to whatever is asked next. */
    void askAhead(ZooKeeperCall call) {
        ZooKeeperHandle handle = call.handle();
        int connection = handle.connection();
        if (connection == 1) {
            call.read(CONFIGURATION)
                    .thenAccept(node -> handle.run(new ZooKeeperRun(connection, first(handle, node), ensemble(node))));
        }
    }

    /**
     * Looks at something until that was seen in one run of the server, which is known.
     *
     * @param look at what is there, over the handle of the call
     * @param doubts whether to make sure, by a session that is begun for that, that the run is this one
     * @return empty: the time of the call is over
     */
    <T> Optional<T> see(ZooKeeperCall call, Function<ZooKeeperRun, T> look, Predicate<T> doubts) {
        ZooKeeperRun run = of(call);
        for (int attempt = 0; ; attempt++) {
            T seen = look.apply(run);
            if (run.connection() != call.handle().connection()) {
                run = of(call);
            } else if (run.fresh() || !doubts.test(seen)) {
                return Optional.of(seen);
            } else {
                run = anew(call);
            }
            if (!call.pause(attempt)) {
                return Optional.empty();
            }
        }
    }

    private ZooKeeperRun of(ZooKeeperCall call) {
        ZooKeeperHandle handle = call.handle();
        ZooKeeperRun known = handle.run();
        if (known != null) {
            return known;
        }
        int connection = handle.connection();
        Optional<ZooKeeperCall.Node> configuration = call.awaitRead(call.read(CONFIGURATION));
        if (!ensemble(configuration) && connection > 1) {
            return anew(call);
        }
        ZooKeeperRun run = new ZooKeeperRun(connection, first(handle, configuration), ensemble(configuration));
        handle.run(run);
        return run;
    }

    private static OptionalLong first(ZooKeeperHandle handle, Optional<ZooKeeperCall.Node> configuration) {
        return ensemble(configuration) ? OptionalLong.empty() : OptionalLong.of(handle.getSessionId());
    }

    private static boolean ensemble(Optional<ZooKeeperCall.Node> configuration) {
        return configuration.isPresent()
                && new String(configuration.get().data(), StandardCharsets.UTF_8).contains("server.");
    }

    /**
     * Begins a session to learn the run, which is that of the connection if an answer comes over it later: the server
     * was then not restarted in between.
     */
    private ZooKeeperRun anew(ZooKeeperCall call) {
        int connection = call.handle().connection();
        CompletableFuture<Boolean> connected = new CompletableFuture<>();
        ZooKeeper session;
        try {
            session = new ZooKeeper(address, timeoutMillis, event -> {
                if (event.getState() == KeeperState.SyncConnected) {
                    connected.complete(true);
                }
            });
        } catch (IOException e) {
            throw new BackendUnavailableException("ZooKeeper at " + address + " can't be reached: " + e, e);
        }
        try {
            call.awaitRead(connected);
            ZooKeeperRun run = new ZooKeeperRun(connection, OptionalLong.of(session.getSessionId()), true);
            call.handle().run(run.remembered());
            return run;
        } finally {
            ZooKeeperLink.inBackground(() -> end(session));
        }
    }

    private static void end(ZooKeeper session) {
        try {
            session.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
