package dev.tenon.zookeeper;

import dev.tenon.lock.engine.Notice;
import dev.tenon.lock.engine.RegisterEvents;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * The ephemeral node by which others see that this process is there, and the watches by which it hears: of notices, and
 * of others who are there no more. Node and watches end with ZooKeeper's session, and then the process is absent until
 * it enters again.
 */
final class ZooKeeperPresence {
    private final ZooKeeperLink link;
    private final ZooKeeperPaths paths;
    private final AtomicReference<@Nullable Ear> ear = new AtomicReference<>();
    private volatile @Nullable Entered entered;

    private record Entered(String process, String notices, RegisterEvents events) {}

    ZooKeeperPresence(ZooKeeperLink link) {
        this.link = link;
        this.paths = link.paths();
    }

    Duration enter(String process, RegisterEvents events) {
        entered = new Entered(process, paths.lockNotices(process), events);
        ZooKeeperCall call = link.beginOneOfMany();
        String path = paths.lockProcess(process);
        Ear here = earOf(call);
        // First the watches: who sees the node may send notices.
        CompletableFuture<Boolean> notices = call.watch(paths.lockNotices(process), here);
        CompletableFuture<Boolean> others = call.watch(paths.lockProcesses(), here);
        CompletableFuture<Stat> node = call.create(path, new byte[0], CreateMode.EPHEMERAL);
        call.awaitWrite(notices);
        call.awaitWrite(others);
        try {
            call.awaitWrite(node);
        } catch (ZooKeeperConflict e) {
            if (e.code() != Code.NODEEXISTS) {
                throw ZooKeeperErrors.dataLost(paths.lockProcesses(), e);
            }
            takeOver(call, path);
        }
        return Duration.ofMillis(call.handle().getSessionTimeout());
    }

    /** Makes the node that is there this session's own: that of a session which has ended would soon be deleted. */
    private static void takeOver(ZooKeeperCall call, String path) {
        if (isOwn(call, call.awaitRead(call.stat(path)))) {
            return;
        }
        List<Op> changes = List.of(
                Op.delete(path, ZooKeeperCall.ANY_VERSION), call.creation(path, new byte[0], CreateMode.EPHEMERAL));
        if (!call.awaitWrite(call.attempt(changes)).done()) {
            call.awaitWrite(call.create(path, new byte[0], CreateMode.EPHEMERAL));
        }
    }

    Optional<Duration> keepAlive(String process) {
        ZooKeeperCall call = link.beginOneOfMany();
        // A server that has lost the others, and does not know it yet, would still show the node of a session that they
        // have ended.
        call.sync(paths.lockProcesses());
        return isOwn(call, call.awaitRead(call.stat(paths.lockProcess(process))))
                ? Optional.of(Duration.ofMillis(call.handle().getSessionTimeout()))
                : Optional.empty();
    }

    private static boolean isOwn(ZooKeeperCall call, Optional<Stat> node) {
        return node.isPresent()
                && node.get().getEphemeralOwner() == call.handle().getSessionId();
    }

    void leave(String process) {
        Entered known = entered;
        if (known != null && known.process().equals(process)) {
            entered = null;
        }
        ZooKeeperCall call = link.beginOneOfMany();
        Ear listening = ear.get();
        if (listening != null && listening.handle == call.handle()) {
            // The answer does not matter: without it, the watch ends with the session.
            call.handle()
                    .removeWatches(
                            paths.lockNotices(process),
                            listening,
                            Watcher.WatcherType.Any,
                            true,
                            (rc, path, context) -> {},
                            null);
        }
        List<Op> deletion = List.of(Op.delete(paths.lockProcess(process), ZooKeeperCall.ANY_VERSION));
        call.awaitWrite(call.attempt(deletion));
    }

    Set<String> gone(Set<String> processes) {
        ZooKeeperCall call = link.beginOneOfMany();
        CompletableFuture<Boolean> others = call.watch(paths.lockProcesses(), earOf(call));
        call.sync(paths.lockProcesses());
        List<String> asked = List.copyOf(processes);
        List<CompletableFuture<Boolean>> answers = new ArrayList<>(asked.size());
        for (String process : asked) {
            answers.add(call.exists(paths.lockProcess(process)));
        }
        call.awaitRead(others);
        List<Boolean> present = call.awaitReads(answers);
        Set<String> gone = new HashSet<>();
        for (int i = 0; i < asked.size(); i++) {
            if (!present.get(i)) {
                gone.add(asked.get(i));
            }
        }
        return gone;
    }

    void close() {
        entered = null;
    }

    /** One for each session of ZooKeeper: set twice, it is still told only once. */
    private Ear earOf(ZooKeeperCall call) {
        return Objects.requireNonNull(ear.updateAndGet(
                known -> known != null && known.handle == call.handle() ? known : new Ear(call.handle())));
    }

    /** Hears what a session of ZooKeeper has to tell, on its thread. */
    private final class Ear implements Watcher {
        private final ZooKeeper handle;

        Ear(ZooKeeper handle) {
            this.handle = handle;
        }

        @Override
        public void process(WatchedEvent event) {
            Entered receiver = entered;
            if (receiver == null) {
                return;
            }
            switch (event.getType()) {
                case None -> {
                    boolean backOrOver = event.getState() == Event.KeeperState.SyncConnected
                            || event.getState() == Event.KeeperState.Expired;
                    if (backOrOver) {
                        receiver.events().resync();
                    }
                }
                case NodeCreated -> {
                    if (event.getPath().startsWith(receiver.notices() + "/")) {
                        List<String> notices = ZooKeeperPaths.notices(ZooKeeperPaths.last(event.getPath()));
                        receiver.events()
                                .noticed(
                                        new Notice(receiver.process(), notices.get(0), notices.get(1)),
                                        Optional.empty());
                    }
                }
                case NodeDeleted -> {
                    if (event.getPath().startsWith(paths.lockProcesses() + "/")) {
                        confirm(event.getPath());
                    }
                }
                default -> {}
            }
        }

        /** A process that enters again deletes its node too, to make another in the same step. */
        private void confirm(String path) {
            handle.exists(
                    path,
                    false,
                    (rc, p, context, stat) -> {
                        Entered receiver = entered;
                        // Any other failure is the end of the connection, and a resync comes with the next.
                        if (rc == KeeperException.Code.NONODE.intValue() && receiver != null) {
                            receiver.events().gone(ZooKeeperPaths.name(ZooKeeperPaths.last(path)));
                        }
                    },
                    null);
        }
    }
}
