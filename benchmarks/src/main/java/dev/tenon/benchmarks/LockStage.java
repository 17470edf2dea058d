package dev.tenon.benchmarks;

import dev.tenon.testkit.EtcdAddress;
import dev.tenon.testkit.EtcdServer;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.RedisAddress;
import dev.tenon.testkit.RedisServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.testkit.ZooKeeperAddress;
import dev.tenon.testkit.ZooKeeperServer;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * One store, and the libraries whose locks on it are measured beside each other, Tenon first.
 *
 * @param store what the tables call it
 * @param socket where it is
 * @param libraries how to connect each of them by some way, which may be a proxy
 */
record LockStage(
        String store, InetSocketAddress socket, Function<InetSocketAddress, List<Supplier<LockContender>>> libraries) {
    /** Starts the store of a part, unless it runs. */
    static LockStage on(Part part) {
        return switch (part) {
            case REDIS -> redis(RedisServer.shared());
            case POSTGRESQL -> sql("PostgreSQL", PostgresServer.shared());
            case MARIADB -> sql("MariaDB", MariaDbServer.shared());
            case MYSQL -> mySql(MySqlServer.shared());
            case ZOOKEEPER -> zooKeeper(ZooKeeperServer.shared());
            case ETCD -> etcd(EtcdServer.shared());
            case IDS, NETWORK, CLUSTER, TRANSACTIONS, OUTBOX ->
                throw new IllegalArgumentException("There is no one store");
        };
    }

    private static LockStage redis(RedisAddress server) {
        return new LockStage("Redis", server.socket(), way -> {
            RedisAddress address = server.at(way);
            return List.of(
                    () -> TenonLock.onRedis(address.uri()),
                    () -> new RedissonLock(address.uri()),
                    () -> SpringLock.onRedis(address),
                    () -> new RawRedisLock(address.uri()));
        });
    }

    private static LockStage zooKeeper(ZooKeeperAddress server) {
        return new LockStage("ZooKeeper", server.socket(), way -> {
            ZooKeeperAddress address = server.at(way);
            return List.of(() -> TenonLock.onZooKeeper(address), () -> new CuratorLock(address));
        });
    }

    private static LockStage etcd(EtcdAddress server) {
        return new LockStage("etcd", server.socket(), way -> {
            EtcdAddress address = server.at(way);
            return List.of(() -> TenonLock.onEtcd(address), () -> new EtcdServiceLock(address));
        });
    }

    private static LockStage mySql(SqlAddress server) {
        LockStage common = sql("MySQL", server);
        return new LockStage(common.store, common.socket, way -> {
            List<Supplier<LockContender>> all = new ArrayList<>(common.libraries.apply(way));
            all.add(() -> new GetLockLock(server.at(way)));
            return all;
        });
    }

    private static LockStage sql(String store, SqlAddress server) {
        return new LockStage(store, server.socket(), way -> {
            SqlAddress address = server.at(way);
            return List.of(
                    () -> TenonLock.onSql(address), () -> SpringLock.onSql(address), () -> new RawSqlLock(address));
        });
    }
}
