package dev.tenon.spring;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.zookeeper.ZooKeeperBackend;
import dev.tenon.zookeeper.ZooKeeperOptions;
import org.apache.curator.framework.CuratorFramework;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** A ZooKeeper: the one of the application's {@code CuratorFramework}, in a session of its own, or another. */
@AutoConfiguration(afterName = "org.springframework.cloud.zookeeper.ZookeeperAutoConfiguration")
@ConditionalOnClass(ZooKeeperBackend.class)
@ConditionalOnBackend(BackendKind.ZOOKEEPER)
@ConditionalOnMissingBean(TenonBackend.class)
@EnableConfigurationProperties(TenonProperties.class)
final class ZooKeeperBackendAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    ZooKeeperBackend tenonZooKeeperBackend(TenonProperties properties, ObjectProvider<CuratorFramework> clients) {
        TenonProperties.ZooKeeper given = properties.zookeeper();
        String address = given.connectString();
        CuratorFramework client = address == null ? clients.getIfUnique() : null;
        if (address == null && client == null) {
            throw Connection.missing(
                    "a ZooKeeper", "tenon.zookeeper.connect-string", ", or give the application one CuratorFramework");
        }
        String connectString = client == null
                ? String.valueOf(address)
                : client.getZookeeperClient().getCurrentConnectionString();
        String source = client == null ? "tenon.zookeeper.connect-string" : "the CuratorFramework of the application";
        return Connection.open(
                new Connection.Place(BackendKind.ZOOKEEPER, source, "host:port[,host:port…][/path]", connectString),
                () -> ZooKeeperBackend.connect(connectString, options(given)),
                ZooKeeperBackend::locks);
    }

    @Bean
    TenonBackend tenonBackend(ZooKeeperBackend zooKeeper) {
        return new TenonBackend(
                BackendKind.ZOOKEEPER.key(), zooKeeper.locks(), zooKeeper.ranges(), zooKeeper::workerIds);
    }

    /** Closed with the backend that it is of. */
    @Bean(destroyMethod = "")
    @ConditionalOnMissingBean
    LockStore tenonLockStore(ZooKeeperBackend zooKeeper) {
        return zooKeeper.lockStore();
    }

    private static ZooKeeperOptions options(TenonProperties.ZooKeeper given) {
        ZooKeeperOptions options = ZooKeeperOptions.DEFAULT;
        if (given.credentials() != null) {
            options = options.withCredentials(given.credentials());
        }
        if (given.basePath() != null) {
            options = options.withBasePath(given.basePath());
        }
        return given.sessionTimeout() == null ? options : options.withSessionTimeout(given.sessionTimeout());
    }
}
