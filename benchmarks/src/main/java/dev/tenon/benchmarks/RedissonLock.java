package dev.tenon.benchmarks;

import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson's {@code RLock} with its defaults: 30 s of lease, renewed; no token; whoever comes first after a release.
 */
final class RedissonLock implements LockContender {
    static final String TITLE = "Redisson";

    private final RedissonClient client;

    RedissonLock(String uri) {
        Config config = new Config();
        config.useSingleServer().setAddress(uri);
        this.client = Redisson.create(config);
    }

    @Override
    public String title() {
        return TITLE;
    }

    @Override
    public Hold acquire(String name) {
        RLock lock = client.getLock(name);
        lock.lock();
        return lock::unlock;
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
