package dev.tenon.server;

import dev.tenon.TenonException;
import dev.tenon.etcd.EtcdBackend;
import dev.tenon.id.spi.BuilderConfigStore;
import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.StoreEvents;
import dev.tenon.redis.RedisBackend;
import dev.tenon.server.backend.ServerBackend;
import dev.tenon.tx.spi.OutboxOperations;
import dev.tenon.tx.spi.TransactionStore;
import dev.tenon.zookeeper.ZooKeeperBackend;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** A database, a Redis, a ZooKeeper or an etcd that the team runs, with any number of servers over it. */
final class StoreServerBackend implements ServerBackend {
    private final LockStore lockStore;
    private final RangeStore ranges;
    private final Function<String, WorkerIdSource> workerIds;
    private final DefinitionStore definitions;
    private final Optional<BuilderConfigStore> builderConfigs;
    private final Optional<TransactionStore> transactions;
    private final Optional<OutboxOperations> outbox;
    private final Runnable disconnect;

    private StoreServerBackend(JdbcBackend jdbc) {
        this.lockStore = jdbc.lockStore();
        this.ranges = jdbc.ranges();
        this.workerIds = jdbc::workerIds;
        this.definitions = jdbc.definitions();
        this.builderConfigs = Optional.of(jdbc.builderConfigs());
        this.transactions = Optional.of(jdbc.transactions());
        this.outbox = Optional.of(jdbc.outbox().operations());
        this.disconnect = jdbc::disconnect;
    }

    private StoreServerBackend(RedisBackend redis) {
        this.lockStore = redis.lockStore();
        this.ranges = redis.ranges();
        this.workerIds = redis::workerIds;
        this.definitions = redis.definitions();
        this.builderConfigs = Optional.empty();
        this.transactions = Optional.empty();
        this.outbox = Optional.empty();
        this.disconnect = redis::disconnect;
    }

    private StoreServerBackend(ZooKeeperBackend zooKeeper) {
        this.lockStore = zooKeeper.lockStore();
        this.ranges = zooKeeper.ranges();
        this.workerIds = zooKeeper::workerIds;
        this.definitions = zooKeeper.definitions();
        this.builderConfigs = Optional.empty();
        this.transactions = Optional.empty();
        this.outbox = Optional.empty();
        this.disconnect = zooKeeper::disconnect;
    }

    private StoreServerBackend(EtcdBackend etcd) {
        this.lockStore = etcd.lockStore();
        this.ranges = etcd.ranges();
        this.workerIds = etcd::workerIds;
        this.definitions = etcd.definitions();
        this.builderConfigs = Optional.empty();
        this.transactions = Optional.empty();
        this.outbox = Optional.empty();
        this.disconnect = etcd::disconnect;
    }

    /**
     * Connects, and asks the store once: what would fail at each request is to fail now.
     *
     * @throws StartException if the store can't be used
     */
    static StoreServerBackend connect(StoreLocation address) {
        StoreServerBackend backend = null;
        try {
            backend = open(address);
            backend.definitions().find("default");
            return backend;
        } catch (TenonException e) {
            if (backend != null) {
                backend.close();
            }
            String why = address.withoutSecrets(String.valueOf(e.getMessage()));
            String advice = why.contains("No driver for ")
                    ? " Drivers for PostgreSQL, MariaDB and H2 are there; another one's jar goes into the folder lib"
                            + " of the release, or behind the runnable jar in its class path (docs/server/stores.md)."
                    : " Is it up, and are user and password right (--store-user, TENON_STORE_PASSWORD)?";
            throw new StartException(
                    ServerExitCode.STORE,
                    "The store at " + address.shown() + " can't be used: " + why + "." + advice,
                    e);
        } catch (IllegalArgumentException e) {
            throw new StartException(
                    ServerExitCode.USAGE,
                    "--store " + address.shown() + ": " + address.withoutSecrets(String.valueOf(e.getMessage())) + ".",
                    e);
        }
    }

    private static StoreServerBackend open(StoreLocation address) {
        return switch (address.kind()) {
            case JDBC -> new StoreServerBackend(jdbc(address));
            case REDIS -> new StoreServerBackend(RedisBackend.connect(address.redisUri()));
            case ZOOKEEPER ->
                new StoreServerBackend(
                        ZooKeeperBackend.connect(address.zooKeeperConnectString(), address.zooKeeperOptions()));
            case ETCD -> new StoreServerBackend(EtcdBackend.connect(address.etcdOptions()));
        };
    }

    private static JdbcBackend jdbc(StoreLocation address) {
        if (address.user().isEmpty() && address.password().isEmpty()) {
            return JdbcBackend.connect(address.uri());
        }
        return JdbcBackend.connect(
                address.uri(), address.user().orElse(""), address.password().orElse(""));
    }

    @Override
    public LockStore lockStore() {
        return lockStore;
    }

    @Override
    public RangeStore ranges() {
        return ranges;
    }

    @Override
    public WorkerIdSource workerIds(String group) {
        return workerIds.apply(group);
    }

    @Override
    public DefinitionStore definitions() {
        return definitions;
    }

    @Override
    public Optional<BuilderConfigStore> builderConfigs() {
        return builderConfigs;
    }

    @Override
    public Optional<TransactionStore> transactions() {
        return transactions;
    }

    @Override
    public Optional<OutboxOperations> outbox() {
        return outbox;
    }

    @Override
    public CompletionStage<Boolean> attach(String sessionId, StoreEvents events) {
        return lockStore.keepAlive(sessionId);
    }

    /** Without a word to the store: clients go on under the leases that they have. */
    @Override
    public void close() {
        disconnect.run();
    }
}
