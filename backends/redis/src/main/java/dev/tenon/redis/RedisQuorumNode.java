package dev.tenon.redis;

import dev.tenon.BackendUnavailableException;
import dev.tenon.DaemonThreads;
import dev.tenon.TimeSource;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One Redis of a quorum. It need not be there at the start: {@link #connect} is tried again until it is. */
final class RedisQuorumNode implements QuorumNode, AutoCloseable {
    private final RedisOptions options;
    private final RedisLockKeys keys;
    private final RedisScript takeScript;
    private final TimeSource time;
    private final ReentrantLock lifecycle = new ReentrantLock();
    private volatile @Nullable Connected connected;
    private final AtomicBoolean connecting = new AtomicBoolean();
    private volatile boolean closed;

    RedisQuorumNode(RedisOptions options, String clock, TimeSource time) {
        this.options = options;
        this.keys = new RedisLockKeys(options.keyPrefix());
        this.takeScript = RedisScript.of(clock, "look", "settle", "take", "quorum-take");
        this.time = time;
    }

    /**
     * Connects, unless it is. Blocks for the command timeout at most.
     *
     * @throws BackendUnavailableException if there is no Redis that answers
     */
    void connect(RedisLockScripts scripts) {
        if (connected != null || closed || !connecting.compareAndSet(false, true)) {
            return;
        }
        try {
            keep(connection(scripts));
        } finally {
            connecting.set(false);
        }
    }

    private Connected connection(RedisLockScripts scripts) {
        ScheduledExecutorService timer =
                Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("tenon-redis-timer"));
        RedisLink link;
        try {
            link = new RedisLink(options, time, timer);
        } catch (RuntimeException e) {
            timer.shutdownNow();
            throw e;
        }
        List<RedisScript> all = new ArrayList<>(scripts.all());
        all.add(takeScript);
        try {
            link.load(all);
        } catch (RuntimeException e) {
            link.close();
            throw e;
        }
        return new Connected(link, new RedisLockStore(link, keys, scripts, time, options.commandTimeout()));
    }

    boolean isConnected() {
        return connected != null;
    }

    private void keep(Connected fresh) {
        lifecycle.lock();
        try {
            if (!closed) {
                connected = fresh;
                return;
            }
        } finally {
            lifecycle.unlock();
        }
        fresh.link.close();
    }

    @Override
    public CompletionStage<Outcome> take(Acquire request, long proposed) {
        Connected there = connected;
        if (there == null) {
            return CompletableFuture.failedFuture(absent());
        }
        List<String> allKeys = new ArrayList<>(keys.of(request.name()));
        allKeys.add(keys.group(request.name()));
        List<String> arguments =
                new ArrayList<>(List.of(request.name(), keys.channelPrefix(), micros(LockMachine.CLAIM_LEASE)));
        arguments.addAll(wish(request));
        arguments.add(micros(request.waitTime()));
        arguments.add(String.valueOf(proposed));
        return there.link.run(new RedisCall(takeScript, allKeys, arguments)).thenApply(RedisLockReplies::outcome);
    }

    @Override
    public <T> CompletionStage<T> ask(Function<LockStore, CompletionStage<T>> question) {
        Connected there = connected;
        return there == null ? CompletableFuture.failedFuture(absent()) : question.apply(there.store);
    }

    /** Closes the connection and gives nothing back. Idempotent. */
    @Override
    public void close() {
        lifecycle.lock();
        try {
            closed = true;
        } finally {
            lifecycle.unlock();
        }
        Connected there = connected;
        if (there != null) {
            there.link.close();
        }
    }

    private static List<String> wish(Acquire request) {
        return List.of(
                request.requestId(),
                request.sessionId(),
                request.owner(),
                micros(request.lease().orElseThrow()),
                RedisLockReplies.text(request.terms().mode()),
                micros(request.terms().lockDelay()),
                request.terms().converts().isPresent()
                        ? String.valueOf(request.terms().converts().getAsLong())
                        : "",
                request.terms().fair() ? "1" : "0");
    }

    private static String micros(Duration duration) {
        return String.valueOf(RedisLockReplies.micros(duration));
    }

    private BackendUnavailableException absent() {
        return new BackendUnavailableException("Redis at " + options.address() + " was not there yet");
    }

    private record Connected(RedisLink link, RedisLockStore store) {}
}
