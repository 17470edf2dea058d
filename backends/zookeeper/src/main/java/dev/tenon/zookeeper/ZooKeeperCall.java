package dev.tenon.zookeeper;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * One call of a user: its requests go over one handle and share one deadline. Requests that are sent one after another
 * are answered in that order, and all of them take one round trip until the first {@code await…}. Not thread-safe.
 */
final class ZooKeeperCall {
    /** In place of a version: whatever it is. */
    static final int ANY_VERSION = -1;

    private static final byte[] NOTHING = {};
    private static final long PAUSE_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int DOUBLINGS_MAX = 10;

    private final ZooKeeperLink link;
    private final ZooKeeperHandle handle;
    private final long end;

    /** @param end when the call is over, by {@link System#nanoTime} */
    ZooKeeperCall(ZooKeeperLink link, ZooKeeperHandle handle, long end) {
        this.link = link;
        this.handle = handle;
        this.end = end;
    }

    /** A node's content. */
    record Node(byte[] data, Stat stat) {}

    /** What is in a node, as new as the latest change that was acknowledged before this call. */
    CompletableFuture<Optional<Node>> readLatest(String path) {
        // A follower may lag; it answers what follows a sync when it has all that the leader had.
        sync(path);
        return read(path);
    }

    /** What is in a node, as new as what this session has seen. */
    CompletableFuture<Optional<Node>> read(String path) {
        CompletableFuture<Optional<Node>> answer = new CompletableFuture<>();
        handle.getData(
                path,
                false,
                (rc, p, context, data, stat) -> {
                    if (rc == Code.NONODE.intValue()) {
                        answer.complete(Optional.empty());
                    } else {
                        complete(answer, rc, p, Optional.of(new Node(data == null ? NOTHING : data, stat)));
                    }
                },
                null);
        return answer;
    }

    /** The names of a node's children; none if there is no node. */
    CompletableFuture<List<String>> children(String path) {
        CompletableFuture<List<String>> answer = new CompletableFuture<>();
        handle.getChildren(
                path,
                false,
                (rc, p, context, names) -> {
                    if (rc == Code.NONODE.intValue()) {
                        answer.complete(List.of());
                    } else {
                        complete(answer, rc, p, names);
                    }
                },
                null);
        return answer;
    }

    /** Lets the reads that follow show every change that was acknowledged before this call. */
    void sync(String path) {
        handle.sync(path, (rc, p, context) -> {}, null);
    }

    CompletableFuture<Boolean> exists(String path) {
        return stat(path).thenApply(Optional::isPresent);
    }

    /** What is known of a node, if there is one. */
    CompletableFuture<Optional<Stat>> stat(String path) {
        CompletableFuture<Optional<Stat>> answer = new CompletableFuture<>();
        handle.exists(
                path,
                false,
                (rc, p, context, stat) -> {
                    if (rc == Code.NONODE.intValue()) {
                        answer.complete(Optional.empty());
                    } else {
                        complete(answer, rc, p, Optional.ofNullable(stat));
                    }
                },
                null);
        return answer;
    }

    CompletableFuture<Stat> create(String path, byte[] data) {
        return create(path, data, CreateMode.PERSISTENT);
    }

    CompletableFuture<Stat> create(String path, byte[] data, CreateMode mode) {
        CompletableFuture<Stat> answer = new CompletableFuture<>();
        handle.create(
                path, data, link.acl(), mode, (rc, p, context, name, stat) -> complete(answer, rc, p, stat), null);
        return answer;
    }

    /** Sets a node's content if the node has that version. */
    CompletableFuture<Stat> set(String path, byte[] data, int version) {
        CompletableFuture<Stat> answer = new CompletableFuture<>();
        handle.setData(path, data, version, (rc, p, context, stat) -> complete(answer, rc, p, stat), null);
        return answer;
    }

    /** Does all of it or nothing. */
    CompletableFuture<Boolean> all(List<Op> changes) {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        handle.multi(changes, (rc, p, context, results) -> complete(answer, rc, p, true), null);
        return answer;
    }

    /**
     * What became of changes that are made together or not at all.
     *
     * @param results of each change, if they were made
     * @param refusal why not; null if they were made
     * @param refused the first change that could not be made; -1 if all were
     */
    record Attempt(List<OpResult> results, @Nullable Code refusal, int refused) {
        boolean done() {
            return refusal == null;
        }
    }

    /** Does all of it or nothing; that a node was not as it had to be is an answer and no failure. */
    CompletableFuture<Attempt> attempt(List<Op> changes) {
        CompletableFuture<Attempt> answer = new CompletableFuture<>();
        handle.multi(
                changes,
                (rc, p, context, results) -> {
                    Code code = Code.get(rc);
                    if (code == Code.BADVERSION || code == Code.NODEEXISTS || code == Code.NONODE) {
                        answer.complete(new Attempt(List.of(), code, refused(results)));
                    } else {
                        complete(answer, rc, p, results == null ? null : new Attempt(results, null, -1));
                    }
                },
                null);
        return answer;
    }

    private static int refused(List<OpResult> results) {
        int first = 0;
        while (first < results.size() - 1
                && results.get(first) instanceof OpResult.ErrorResult error
                && error.getErr() == Code.OK.intValue()) {
            first++;
        }
        return first;
    }

    /** A change for {@link #all}: a node that is not there yet. */
    Op creation(String path, byte[] data) {
        return creation(path, data, CreateMode.PERSISTENT);
    }

    /** A change for {@link #all}: a node that is not there yet. */
    Op creation(String path, byte[] data, CreateMode mode) {
        return Op.create(path, data, link.acl(), mode);
    }

    /** Has a watcher told of all that happens to a node and to those below it, for as long as the session lasts. */
    CompletableFuture<Boolean> watch(String path, Watcher watcher) {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        handle.addWatch(
                path,
                watcher,
                AddWatchMode.PERSISTENT_RECURSIVE,
                (rc, p, context) -> complete(answer, rc, p, true),
                null);
        return answer;
    }

    /** Over which the requests go. */
    ZooKeeperHandle handle() {
        return handle;
    }

    /**
     * A change that was made just now. Its time is that of the ensemble: that of its leader, which it gives to each
     * change. What is read behind it is at least as new as that moment. Empty: the node below which all groups are is
     * gone.
     */
    CompletableFuture<Optional<Stat>> tick() {
        CompletableFuture<Optional<Stat>> answer = new CompletableFuture<>();
        handle.setData(
                link.paths().workers(),
                NOTHING,
                ANY_VERSION,
                (rc, path, context, stat) -> {
                    if (rc == Code.NONODE.intValue()) {
                        answer.complete(Optional.empty());
                    } else {
                        complete(answer, rc, path, Optional.ofNullable(stat));
                    }
                },
                null);
        return answer;
    }

    /** Waits for the answer to a question, and to a change that does not matter. */
    <T> T awaitRead(CompletableFuture<T> answer) {
        return await(answer, false);
    }

    /** Waits for the answer to a change. */
    <T> T awaitWrite(CompletableFuture<T> answer) {
        return await(answer, true);
    }

    /** Waits for the answers to many questions. */
    <T> List<T> awaitReads(List<CompletableFuture<T>> answers) {
        return awaitAll(answers, false);
    }

    /** Waits for the answers to many changes. */
    <T> List<T> awaitWrites(List<CompletableFuture<T>> answers) {
        return awaitAll(answers, true);
    }

    private <T> List<T> awaitAll(List<CompletableFuture<T>> answers, boolean writes) {
        List<T> all = new ArrayList<>(answers.size());
        for (CompletableFuture<T> answer : answers) {
            all.add(await(answer, writes));
        }
        return all;
    }

    /**
     * Pauses before another attempt, at random up to a limit that doubles with each, so that those who were in each
     * other's way are so no more.
     *
     * @param attempt the number of the attempt that failed, from 0
     * @return false if the time of the call is over
     */
    boolean pause(int attempt) {
        long limit = Math.min(PAUSE_NANOS_MAX, 100_000L << Math.min(attempt, DOUBLINGS_MAX));
        long left = end - System.nanoTime();
        if (left > 0) {
            LockSupport.parkNanos(Math.min(left, ThreadLocalRandom.current().nextLong(limit)));
        }
        return end - System.nanoTime() > 0;
    }

    /** Waits for a lock, but no longer than for the call itself; false if that is over. */
    boolean tryLock(ReentrantLock lock) {
        try {
            return lock.tryLock(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private <T> T await(CompletableFuture<T> answer, boolean writes) {
        try {
            long left = Math.max(0, end - System.nanoTime());
            return (answer.isDone() ? answer : answer.orTimeout(left, TimeUnit.NANOSECONDS)).join();
        } catch (CompletionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw ZooKeeperErrors.translate(cause, writes, link.address());
        }
    }

    private static <T> void complete(CompletableFuture<T> answer, int rc, String path, @Nullable T value) {
        Code code = Code.get(rc);
        if (code == Code.OK && value != null) {
            answer.complete(value);
        } else if (code == null || code == Code.OK) {
            answer.completeExceptionally(new IllegalStateException("Unknown answer " + rc + " for " + path));
        } else {
            answer.completeExceptionally(KeeperException.create(code, path));
        }
    }
}
