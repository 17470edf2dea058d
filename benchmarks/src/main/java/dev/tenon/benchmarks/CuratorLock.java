package dev.tenon.benchmarks;

import dev.tenon.testkit.ZooKeeperAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;

/** Curator's {@code InterProcessMutex}: every thread has its place in ZooKeeper's queue. */
final class CuratorLock implements LockContender {
    static final String TITLE = "Curator";

    private static final int RETRY_MILLIS = 100;
    private static final int RETRIES = 10;

    private final CuratorFramework client;
    private final Map<String, InterProcessMutex> mutexes = new ConcurrentHashMap<>();

    CuratorLock(ZooKeeperAddress address) {
        this.client = CuratorFrameworkFactory.newClient(
                address.connectString(), new ExponentialBackoffRetry(RETRY_MILLIS, RETRIES));
        client.start();
    }

    @Override
    public String title() {
        return TITLE;
    }

    @Override
    public Hold acquire(String name) throws InterruptedException {
        InterProcessMutex mutex = mutexes.computeIfAbsent(name, n -> new InterProcessMutex(client, "/curator/" + n));
        try {
            mutex.acquire();
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("Curator could not lock", e);
        }
        return () -> release(mutex);
    }

    private static void release(InterProcessMutex mutex) {
        try {
            mutex.release();
        } catch (Exception e) {
            throw new IllegalStateException("Curator could not unlock", e);
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
