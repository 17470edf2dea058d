package dev.tenon.spring.everyboot;

import dev.tenon.testkit.EtcdAddress;
import dev.tenon.testkit.EtcdServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.RedisAddress;
import dev.tenon.testkit.RedisServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.testkit.TenonTestServer;
import dev.tenon.testkit.ZooKeeperServer;
import java.util.function.Supplier;

/** Where the store of each backend is: a real one, that nobody else uses. */
enum EveryBackend {
    MEMORY(() -> new String[0]),

    JDBC(() -> {
        SqlAddress database = PostgresServer.shared().newDatabase();
        return new String[] {
            "spring.datasource.url=" + database.url(),
            "spring.datasource.username=" + database.user(),
            "spring.datasource.password=" + database.password()
        };
    }),

    REDIS(() -> {
        RedisAddress redis = RedisServer.shared().newDatabase();
        return new String[] {
            "spring.data.redis.host=" + redis.host(),
            "spring.data.redis.port=" + redis.port(),
            "spring.data.redis.database=" + redis.database(),
            "tenon.redis.command-timeout=20s"
        };
    }),

    ZOOKEEPER(() -> new String[] {
        "tenon.zookeeper.connect-string=" + ZooKeeperServer.shared().newRoot().connectString()
    }),

    ETCD(() -> {
        EtcdAddress etcd = EtcdServer.shared();
        return new String[] {
            "tenon.etcd.endpoints=" + etcd.endpoint(),
            "tenon.etcd.key-prefix=" + etcd.keyPrefix(),
            "tenon.etcd.command-timeout=20s"
        };
    }),

    SERVER(() ->
            new String[] {"tenon.server.address=" + TenonTestServer.shared().address(), "tenon.server.call-timeout=20s"
            });

    private final Supplier<String[]> keys;

    EveryBackend(Supplier<String[]> keys) {
        this.keys = keys;
    }

    String key() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }

    BootApplication start() {
        String[] where = keys.get();
        String[] all = new String[where.length + 1];
        all[0] = "tenon.backend=" + key();
        System.arraycopy(where, 0, all, 1, where.length);
        return StoreUse.start(all);
    }
}
