package dev.tenon.spring;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.springframework.util.ClassUtils;

/** The values of {@code tenon.backend}. */
enum BackendKind {
    /** A database, over the application's {@code DataSource} or {@code tenon.jdbc.url}. */
    JDBC("tenon-jdbc", "dev.tenon.jdbc.JdbcBackend"),
    /** A Redis, the one of {@code spring.data.redis} or {@code tenon.redis.uri}. */
    REDIS("tenon-redis", "dev.tenon.redis.RedisBackend"),
    /** A ZooKeeper, the one of the application's {@code CuratorFramework} or {@code tenon.zookeeper.connect-string}. */
    ZOOKEEPER("tenon-zookeeper", "dev.tenon.zookeeper.ZooKeeperBackend"),
    /** An etcd, at {@code tenon.etcd.endpoints}. */
    ETCD("tenon-etcd", "dev.tenon.etcd.EtcdBackend"),
    /** A Tenon server, at {@code tenon.server.address}. */
    SERVER("tenon-client", "dev.tenon.client.TenonClient"),
    /** The memory of this process: for tests. */
    MEMORY("tenon-memory", "dev.tenon.memory.MemoryBackend"),
    /** No store: no locks, and only those IDs that need none. */
    NONE("", "");

    private final String artifact;
    private final String type;

    BackendKind(String artifact, String type) {
        this.artifact = artifact;
        this.type = type;
    }

    /** The name in {@code application.yml}. */
    String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Its dependency, as people look for it. */
    String artifact() {
        return "dev.tenon:" + artifact;
    }

    /** Whether its jar is there. */
    boolean isPresent(ClassLoader loader) {
        return this == NONE || ClassUtils.isPresent(type, loader);
    }

    /** Those with a jar. */
    static List<BackendKind> stores() {
        return Arrays.stream(values()).filter(kind -> kind != NONE).toList();
    }

    static String keys(List<BackendKind> kinds) {
        return kinds.stream().map(BackendKind::key).collect(Collectors.joining(", "));
    }

    static Optional<BackendKind> named(String key) {
        return Arrays.stream(values()).filter(kind -> kind.key().equals(key)).findFirst();
    }
}
