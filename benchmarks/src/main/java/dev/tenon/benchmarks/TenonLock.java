package dev.tenon.benchmarks;

import dev.tenon.client.ClientOptions;
import dev.tenon.client.TenonClient;
import dev.tenon.etcd.EtcdBackend;
import dev.tenon.etcd.EtcdOptions;
import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.lock.Lease;
import dev.tenon.lock.LockOptions;
import dev.tenon.lock.Locks;
import dev.tenon.redis.RedisBackend;
import dev.tenon.testkit.EtcdAddress;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.testkit.ZooKeeperAddress;
import dev.tenon.zookeeper.ZooKeeperBackend;
import java.time.Duration;

/**
 * Tenon's lock with its defaults (30 s of lease, renewed; handed on between threads), or with each thread going to the
 * store.
 */
final class TenonLock implements LockContender {
    static final String TITLE = "Tenon";

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    /** Nothing is warm yet, and all cores may be busy. */
    private static final Duration CONNECTING = Duration.ofSeconds(30);

    private final String title;
    private final Locks locks;
    private final LockOptions options;
    private final Runnable close;

    private TenonLock(Locks locks, Runnable close) {
        this(TITLE, locks, LockOptions.DEFAULT, close);
    }

    private TenonLock(String title, Locks locks, LockOptions options, Runnable close) {
        this.title = title;
        this.locks = locks;
        this.options = options;
        this.close = close;
    }

    static TenonLock onRedis(String uri) {
        RedisBackend backend = RedisBackend.connect(uri);
        return new TenonLock(backend.locks(), backend::close);
    }

    static TenonLock onZooKeeper(ZooKeeperAddress address) {
        ZooKeeperBackend backend = ZooKeeperBackend.connect(address.connectString());
        return new TenonLock(backend.locks(), backend::close);
    }

    static TenonLock onEtcd(EtcdAddress address) {
        EtcdOptions patient = EtcdOptions.of(address.endpoint()).withCommandTimeout(CONNECTING);
        EtcdBackend backend = EtcdBackend.connect(patient);
        return new TenonLock(backend.locks(), backend::close);
    }

    static TenonLock onServer(String title, String server) {
        TenonClient client = TenonClient.connect(ClientOptions.of(server).withCallTimeout(CONNECTING));
        return new TenonLock(title, client.locks(), LockOptions.DEFAULT, client::close);
    }

    static TenonLock onSql(SqlAddress address) {
        JdbcBackend backend = JdbcBackend.connect(address.url(), address.user(), address.password());
        return new TenonLock(backend.locks(), backend::close);
    }

    /** The same, but no thread hands the lock on to the next one. */
    TenonLock throughTheStore() {
        return new TenonLock("Tenon, each thread through the store", locks, options.withoutLocalHandOver(), close);
    }

    @Override
    public String title() {
        return title;
    }

    @Override
    public Hold acquire(String name) throws InterruptedException {
        Lease lease = locks.lock(name, options).acquire(PATIENCE);
        return lease::close;
    }

    @Override
    public void close() {
        close.run();
    }
}
