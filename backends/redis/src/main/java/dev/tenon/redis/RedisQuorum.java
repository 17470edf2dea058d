package dev.tenon.redis;

import dev.tenon.BackendUnavailableException;
import dev.tenon.DaemonThreads;
import dev.tenon.TimeSource;
import dev.tenon.lock.Locks;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.LockStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The quorum lock: locks in several Redis servers that know nothing of each other (5 is usual, 3 to {@value #NODES_MAX}
 * allowed). A lock is held when a majority of them says so, under one token; any minority may be dead, cut off or slow.
 * It is RedLock with fencing tokens: {@code docs/locks/quorum.md} says what that promises, and what not.
 *
 * <p>{@link #locks()} has all kinds of locks, leases, waiting and renewal, as over any store. An acquire takes two
 * round trips, the second to all nodes at the same time; a release takes one. Semaphores need <em>every</em> node.
 *
 * <p>Nodes must be masters without replicas that take over, and must not come back empty within the longest lease.
 * Thread-safe.
 */
public final class RedisQuorum implements AutoCloseable {
    /** The most nodes. */
    public static final int NODES_MAX = 15;

    /**
     * How long {@link #connect(String...)} lets one node think: much less than a lease, much more than a round trip.
     */
    public static final Duration NODE_TIMEOUT = Duration.ofMillis(250);

    private static final String CLOCK = "clock";
    private static final int NODES_MIN = 3;
    private static final int SECONDS_BETWEEN_RUNS = 10;

    private final RedisLockScripts scripts = RedisLockScripts.onClock(CLOCK);
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("tenon-quorum-timer"));
    private final ExecutorService connecting =
            Executors.newCachedThreadPool(DaemonThreads.named("tenon-quorum-connect"));
    private final List<RedisQuorumNode> nodes;
    private final RedisQuorumLockStore lockStore;
    private final Locks locks;

    /** How many of so many nodes must hold in this mode: no majority can count permits. */
    static int needed(LockMode mode, int nodes) {
        return mode.kind() == LockMode.Kind.PERMITS ? nodes : nodes / 2 + 1;
    }

    private RedisQuorum(List<RedisOptions> options, TimeSource time) {
        long different = options.stream().map(RedisOptions::uri).distinct().count();
        if (options.size() < NODES_MIN || options.size() > NODES_MAX || different < options.size()) {
            throw new IllegalArgumentException("A quorum has " + NODES_MIN + " to " + NODES_MAX
                    + " different nodes, not " + options.size() + " of which " + different + " differ");
        }
        this.nodes = options.stream()
                .sorted(Comparator.comparing(
                        RedisOptions::address)) // the order of a name must not depend on the caller's
                .map(each -> new RedisQuorumNode(each, CLOCK, time))
                .toList();
        this.lockStore = new RedisQuorumLockStore(nodes, time, timer);
        this.locks = Locks.over(lockStore);
        try {
            connectFirst();
        } catch (RuntimeException e) {
            disconnect();
            throw e;
        }
        timer.scheduleWithFixedDelay(this::connectMissing, 1, 1, TimeUnit.SECONDS);
        timer.scheduleWithFixedDelay(lockStore::runOnce, SECONDS_BETWEEN_RUNS, SECONDS_BETWEEN_RUNS, TimeUnit.SECONDS);
    }

    /**
     * Connects with default options, and {@link #NODE_TIMEOUT} for each node.
     *
     * @param uris of the nodes, the same in every process
     * @throws BackendUnavailableException if fewer than a majority answer
     * @throws IllegalArgumentException if there are too few, too many, or one twice
     */
    public static RedisQuorum connect(String... uris) {
        List<RedisOptions> options = new ArrayList<>();
        for (String uri : uris) {
            options.add(RedisOptions.of(uri).withCommandTimeout(NODE_TIMEOUT));
        }
        return connect(options);
    }

    /**
     * Connects.
     *
     * @param nodes the same in every process; {@link RedisOptions#commandTimeout} is how long each may think
     * @throws BackendUnavailableException if fewer than a majority answer
     * @throws IllegalArgumentException if there are too few, too many, or one twice
     */
    public static RedisQuorum connect(List<RedisOptions> nodes) {
        return new RedisQuorum(nodes, TimeSource.system());
    }

    /** The locks of this quorum. */
    public Locks locks() {
        return locks;
    }

    /** The store of locks, for those who want locks with an owner or a clock of their own. */
    public LockStore lockStore() {
        return lockStore;
    }

    /** Gives back every lock that is held through this object, and closes the connections. Idempotent. */
    @Override
    public void close() {
        locks.close();
        lockStore.close();
        disconnect();
    }

    /**
     * Closes the connections and gives nothing back, as the end of the process would: what is held stays held until its
     * lease ends. Idempotent.
     */
    public void disconnect() {
        timer.shutdown(); // not at once: a request in its pause has yet to learn that there is nobody to ask
        connecting.shutdownNow();
        nodes.forEach(RedisQuorumNode::close);
    }

    private void connectFirst() {
        List<CompletableFuture<Void>> attempts =
                nodes.stream().map(this::connect).toList();
        Throwable failure = null;
        int there = 0;
        for (CompletableFuture<Void> attempt : attempts) {
            try {
                attempt.join();
                there++;
            } catch (CompletionException e) {
                failure = RedisErrors.unwrap(e);
            }
        }
        requireMajority(there, failure);
    }

    private void requireMajority(int there, @Nullable Throwable failure) {
        if (failure instanceof IllegalArgumentException refusal) {
            throw refusal;
        }
        int majority = nodes.size() / 2 + 1;
        if (there < majority) {
            throw QuorumAnswers.unavailable(there, nodes.size(), majority, failure);
        }
    }

    private void connectMissing() {
        nodes.stream()
                .filter(node -> !node.isConnected())
                .forEach(node -> connect(node).exceptionally(notThereYet -> null));
    }

    private CompletableFuture<Void> connect(RedisQuorumNode node) {
        return CompletableFuture.runAsync(() -> node.connect(scripts), connecting);
    }
}
