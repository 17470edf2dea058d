package dev.tenon.benchmarks;

import dev.tenon.lock.Lease;
import dev.tenon.redis.RedisBackend;
import java.time.Duration;

/** Tenon's lock with its defaults: 30 s of lease, renewed; a token; first come, first served. */
final class TenonLock implements LockContender {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final RedisBackend backend;

    TenonLock(String uri) {
        this.backend = RedisBackend.connect(uri);
    }

    @Override
    public String title() {
        return "Tenon";
    }

    @Override
    public Hold acquire(String name) throws InterruptedException {
        Lease lease = backend.locks().lock(name).acquire(PATIENCE);
        return lease::close;
    }

    @Override
    public void close() {
        backend.close();
    }
}
