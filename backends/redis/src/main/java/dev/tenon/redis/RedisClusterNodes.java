package dev.tenon.redis;

import dev.tenon.BackendUnavailableException;
import dev.tenon.TimeSource;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.SlotHash;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The masters of a Redis Cluster, each with its slots. Where a slot is, is learned from {@code CLUSTER SLOTS}, of one
 * node after the other, and corrected by every {@code MOVED}. It is asked for at the start, every few seconds, and
 * often while something is wrong: a connection is lost, a slot is nobody's, a node says that keys have moved.
 */
final class RedisClusterNodes implements RedisNodes {
    private static final long CALM_NANOS = Duration.ofSeconds(5).toNanos();
    private static final long ALARMED_NANOS = Duration.ofMillis(200).toNanos();
    /** How often in a row a node may be missing before its connections are closed: what one node knows may be old. */
    private static final int MISSES_MAX = 5;

    private final AtomicReferenceArray<RedisNode> owners = new AtomicReferenceArray<>(SlotHash.SLOT_COUNT);
    private final Map<String, RedisNode> nodes = new ConcurrentHashMap<>();
    private final Map<String, Integer> misses = new ConcurrentHashMap<>();
    private final AtomicInteger turn = new AtomicInteger();
    private final AtomicBoolean asking = new AtomicBoolean();
    private final RedisTarget target;
    private final RedisDriver driver;
    private final RedisOptions options;
    private final TimeSource time;
    private final Watcher watcher;
    private volatile boolean alarmed;
    private volatile long askedNanos;

    RedisClusterNodes(RedisTarget target, RedisDriver driver, RedisOptions options, TimeSource time, Watcher watcher) {
        this.target = target;
        this.driver = driver;
        this.options = options;
        this.time = time;
        this.watcher = watcher;
    }

    @Override
    public void start() {
        Throwable last = new IllegalStateException("no node was named");
        for (RedisURI seed : target.seeds()) {
            try {
                askedNanos = time.nanoTime();
                learn(node(seed.getHost(), seed.getPort())).join();
                awaitConnections();
                return;
            } catch (CompletionException e) {
                last = e;
            }
        }
        throw new BackendUnavailableException(
                "Redis Cluster at " + options.address() + " can't be reached: " + RedisErrors.rootMessage(last), last);
    }

    @Override
    public Optional<RedisNode> of(String key) {
        return Optional.ofNullable(owners.get(SlotHash.getSlot(key)));
    }

    @Override
    public Optional<RedisNode> redirected(String error) {
        String[] words = error.split(" ");
        boolean moved = words[0].equals("MOVED");
        if (!moved && !words[0].equals("ASK") || words.length < 3) {
            return Optional.empty();
        }
        int colon = words[2].lastIndexOf(':');
        if (colon < 1) {
            return Optional.empty(); // "the host that you asked", on networks where nodes don't know their own
        }
        RedisNode to = node(words[2].substring(0, colon), Integer.parseInt(words[2].substring(colon + 1)));
        if (moved) {
            owners.set(Integer.parseInt(words[1]), to);
            alarmed = true;
        }
        return Optional.of(to);
    }

    @Override
    public List<RedisNode> all() {
        return List.copyOf(distinctOwners());
    }

    @Override
    public RedisURI forPushes() {
        List<RedisNode> open = nodes.values().stream().filter(RedisNode::isOpen).toList();
        int mine = Math.floorMod(turn.getAndIncrement(), Integer.MAX_VALUE);
        return open.isEmpty()
                ? target.seeds().get(mine % target.seeds().size())
                : open.get(mine % open.size()).uri();
    }

    @Override
    public void suspect(RedisNode node, Throwable failure) {
        alarmed = true;
    }

    @Override
    public void runOnce() {
        long now = time.nanoTime();
        if (now - askedNanos < (alarmed ? ALARMED_NANOS : CALM_NANOS) || !asking.compareAndSet(false, true)) {
            return;
        }
        askedNanos = now;
        RedisURI next = forPushes();
        RedisNode asked = node(next.getHost(), next.getPort());
        learn(asked).whenComplete((done, failure) -> {
            if (failure != null) {
                alarmed = true;
                asked.drop();
            }
            asking.set(false);
        });
    }

    @Override
    public void close() {
        nodes.values().forEach(RedisNode::close);
    }

    /** Asks one node where the slots are. */
    private CompletableFuture<Void> learn(RedisNode asked) {
        return asked.connection()
                .thenCompose(open -> open.async().clusterSlots())
                .orTimeout(options.commandTimeout().toMillis(), TimeUnit.MILLISECONDS)
                .thenAccept(ranges -> apply(ranges, asked));
    }

    /** Each range: first slot, last slot, and of each node host, port and more; its master is the first. */
    private void apply(List<Object> ranges, RedisNode asked) {
        Map<Integer, RedisNode> found = new HashMap<>();
        for (Object each : ranges) {
            List<?> range = (List<?>) each;
            List<?> master = (List<?>) range.get(2);
            // A node that does not know its own address leaves it out: it is where it was asked.
            String host = master.get(0) instanceof String named && !named.isEmpty() && !named.equals("?")
                    ? named
                    : asked.uri().getHost();
            RedisNode owner = node(host, ((Number) master.get(1)).intValue());
            for (int slot = number(range.get(0)); slot <= number(range.get(1)); slot++) {
                found.put(slot, owner);
            }
        }
        boolean moved = false;
        for (int slot = 0; slot < owners.length(); slot++) {
            RedisNode owner = found.get(slot);
            moved |= !at(owners.getAndSet(slot, owner)).equals(at(owner));
        }
        Set<RedisNode> masters = distinctOwners();
        alarmed = found.size() < owners.length() || !masters.stream().allMatch(RedisNode::isOpen);
        retire(masters);
        if (moved) {
            watcher.moved();
        }
    }

    private void retire(Set<RedisNode> masters) {
        nodes.forEach((address, node) -> {
            if (masters.contains(node)) {
                misses.remove(address);
            } else if (misses.merge(address, 1, Integer::sum) > MISSES_MAX && nodes.remove(address, node)) {
                misses.remove(address);
                node.close();
            }
        });
    }

    private Set<RedisNode> distinctOwners() {
        Set<RedisNode> masters = new LinkedHashSet<>();
        for (int slot = 0; slot < owners.length(); slot++) {
            RedisNode owner = owners.get(slot);
            if (owner != null) {
                masters.add(owner);
            }
        }
        return masters;
    }

    /** The node of an address, to which a connection exists or is tried. */
    private RedisNode node(String host, int port) {
        String address = host + ":" + port;
        RedisNode known = nodes.get(address);
        if (known != null && !known.isFailed()) {
            return known;
        }
        RedisNode fresh = nodes.compute(address, (key, now) -> {
            if (now != null && !now.isFailed()) {
                return now;
            }
            if (now != null) {
                now.close(); // one of its two connections may have been made, and would be kept up for ever
            }
            return new RedisNode(target.at(host, port), driver, options);
        });
        // Once for each that was made, however many looked for it: a second time does no harm.
        watch(fresh);
        return fresh;
    }

    private void watch(RedisNode node) {
        node.listen(new RedisConnectionStateListener() {
            @Override
            public void onRedisConnected(RedisChannelHandler<?, ?> connection, SocketAddress at) {
                watcher.opened(node);
            }

            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
                alarmed = true;
            }
        });
        node.connection().whenComplete((open, failure) -> {
            if (failure == null) {
                watcher.opened(node);
            } else {
                alarmed = true;
            }
        });
    }

    /** Those that can't be reached now may be later. */
    private void awaitConnections() {
        CompletableFuture.allOf(
                        distinctOwners().stream().map(RedisNode::connection).toArray(CompletableFuture<?>[]::new))
                .handle((done, failure) -> null)
                .join();
    }

    private static String at(@Nullable RedisNode node) {
        return node == null ? "" : node.address();
    }

    private static int number(Object digits) {
        return ((Number) digits).intValue();
    }
}
