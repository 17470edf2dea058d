package dev.tenon.spring;

import dev.tenon.etcd.EtcdBackend;
import dev.tenon.etcd.EtcdOptions;
import dev.tenon.lock.spi.LockStore;
import java.util.Objects;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** An etcd. */
@AutoConfiguration
@ConditionalOnClass(EtcdBackend.class)
@ConditionalOnBackend(BackendKind.ETCD)
@ConditionalOnMissingBean(TenonBackend.class)
@EnableConfigurationProperties(TenonProperties.class)
final class EtcdBackendAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    EtcdBackend tenonEtcdBackend(TenonProperties properties) {
        TenonProperties.Etcd etcd = properties.etcd();
        if (etcd.endpoints().isEmpty()) {
            throw Connection.missing("an etcd", "tenon.etcd.endpoints", "");
        }
        return Connection.open(
                new Connection.Place(
                        BackendKind.ETCD,
                        "tenon.etcd.endpoints",
                        "http://host:2379, with commas between several",
                        etcd.endpoints()),
                () -> EtcdBackend.connect(options(etcd)),
                EtcdBackend::locks);
    }

    @Bean
    TenonBackend tenonBackend(EtcdBackend etcd) {
        return new TenonBackend(BackendKind.ETCD.key(), etcd.locks(), etcd.ranges(), etcd::workerIds);
    }

    /** Closed with the backend that it is of. */
    @Bean(destroyMethod = "")
    @ConditionalOnMissingBean
    LockStore tenonLockStore(EtcdBackend etcd) {
        return etcd.lockStore();
    }

    private static EtcdOptions options(TenonProperties.Etcd given) {
        EtcdOptions options = EtcdOptions.of(given.endpoints().toArray(String[]::new));
        if (given.keyPrefix() != null) {
            options = options.withKeyPrefix(given.keyPrefix());
        }
        if (given.commandTimeout() != null) {
            options = options.withCommandTimeout(given.commandTimeout());
        }
        return given.user() == null
                ? options
                : options.withUser(given.user(), Objects.requireNonNullElse(given.password(), ""));
    }
}
