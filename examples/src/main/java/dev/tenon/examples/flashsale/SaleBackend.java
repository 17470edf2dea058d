package dev.tenon.examples.flashsale;

import dev.tenon.etcd.EtcdBackend;
import dev.tenon.etcd.EtcdOptions;
import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.redis.RedisBackend;
import dev.tenon.zookeeper.ZooKeeperBackend;
import dev.tenon.zookeeper.ZooKeeperOptions;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;

/**
 * Where the lock of a sale lives, if there is one.
 *
 * @param kind memory, h2, mariadb, mysql, postgres, redis, zookeeper, etcd, raft; or none, for a sale without a lock
 * @param uri its address; for those in this process, which have none, any word
 */
public record SaleBackend(String kind, String uri) {
    /** Several JVMs start at once, and have no mind to give up meanwhile. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** No lock. */
    static final SaleBackend NONE = new SaleBackend("none", "-");

    /** Reads {@code kind} or {@code kind=uri}. */
    public static SaleBackend parse(String text) {
        int cut = text.indexOf('=');
        return cut < 0 ? new SaleBackend(text, "-") : new SaleBackend(text.substring(0, cut), text.substring(cut + 1));
    }

    /** Whether the store is in one process, which all shops then are in. */
    boolean inProcess() {
        return kind.equals("memory") || kind.equals("h2");
    }

    /** A connection of a shop's own. */
    Checkout connect() throws IOException, InterruptedException {
        switch (kind) {
            case "none":
                return new Checkout.Unguarded();
            case "redis":
                RedisBackend redis = RedisBackend.connect(uri);
                return new Checkout.Guarded(redis.locks(), redis::close);
            case "zookeeper":
                ZooKeeperBackend zooKeeper =
                        ZooKeeperBackend.connect(uri, ZooKeeperOptions.DEFAULT.withRequestTimeout(PATIENCE));
                return new Checkout.Guarded(zooKeeper.locks(), zooKeeper::close);
            case "etcd":
                EtcdBackend etcd = EtcdBackend.connect(EtcdOptions.of(uri).withCommandTimeout(PATIENCE));
                return new Checkout.Guarded(etcd.locks(), etcd::close);
            case "mariadb", "mysql", "postgres":
                JdbcBackend database = JdbcBackend.connect(uri);
                return new Checkout.Guarded(database.locks(), database::close);
            case "raft":
                return ServerLocks.connect(URI.create(uri));
            default:
                throw new IllegalArgumentException("No backend of a sale: " + kind);
        }
    }
}
