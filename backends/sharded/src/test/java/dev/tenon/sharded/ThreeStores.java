package dev.tenon.sharded;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.memory.MemoryBackend;
import dev.tenon.redis.RedisBackend;
import dev.tenon.redis.RedisOptions;
import dev.tenon.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Two processes' connections to three stores. */
final class ThreeStores implements AutoCloseable {
    private final List<AutoCloseable> open = new ArrayList<>();
    private final ShardedLocks here;
    private final ShardedLocks there;

    private ThreeStores(Map<String, LockStore> here, Map<String, LockStore> there, List<AutoCloseable> backends) {
        this.here = ShardedLocks.over(here, Duration.ZERO);
        this.there = ShardedLocks.over(there, Duration.ZERO);
        open.add(this.here);
        open.add(this.there);
        open.addAll(backends);
    }

    static ThreeStores inMemory() {
        Map<String, LockStore> stores = new HashMap<>();
        List<AutoCloseable> backends = new ArrayList<>();
        for (String label : List.of("a", "b", "c")) {
            MemoryBackend backend = MemoryBackend.create();
            backends.add(backend);
            stores.put(label, backend.lockStore());
        }
        return new ThreeStores(stores, stores, backends);
    }

    /** Databases of one server, each of which stands for a server of its own. */
    static ThreeStores inRedis() {
        Map<String, LockStore> here = new HashMap<>();
        Map<String, LockStore> there = new HashMap<>();
        List<AutoCloseable> backends = new ArrayList<>();
        for (String label : List.of("a", "b", "c")) {
            // Channels are the whole server's: a prefix for each database keeps the pushes of one from the others.
            RedisOptions options = RedisOptions.of(RedisServer.shared().uri()).withKeyPrefix(label);
            for (Map<String, LockStore> side : List.of(here, there)) {
                RedisBackend backend = RedisBackend.connect(options);
                backends.add(backend);
                side.put(label, backend.lockStore());
            }
        }
        return new ThreeStores(here, there, backends);
    }

    ShardedLocks here() {
        return here;
    }

    ShardedLocks there() {
        return there;
    }

    @Override
    public void close() {
        for (AutoCloseable each : open) {
            try {
                each.close();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
    }
}
