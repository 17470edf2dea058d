package dev.tenon.spring;

import dev.tenon.client.TenonClient;
import dev.tenon.id.SegmentPolicy;
import dev.tenon.id.builder.IdBuilder;
import dev.tenon.id.builder.IdBuilderOptions;
import dev.tenon.id.builder.LocalIdBuilder;
import dev.tenon.jdbc.JdbcBackend;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/**
 * IDs by code, as a bean of the type {@link IdBuilder}: from the table in the database, or from a Tenon server. It is
 * made when another bean wants it, so that an application over a database that has the table by chance takes no
 * segments of it.
 */
@AutoConfiguration(after = {JdbcBackendAutoConfiguration.class, ServerBackendAutoConfiguration.class})
@ConditionalOnProperty(name = "tenon.id-builder.enabled", matchIfMissing = true)
@EnableConfigurationProperties(TenonProperties.class)
final class IdBuilderAutoConfiguration {
    /** The table, in the database of the backend. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(JdbcBackend.class)
    @ConditionalOnBean(JdbcBackend.class)
    @ConditionalOnMissingBean(IdBuilder.class)
    static class OfTable {
        @Bean
        @Lazy
        LocalIdBuilder tenonIdBuilder(JdbcBackend jdbc, TenonProperties properties) {
            TenonProperties.IdBuilderKeys keys = properties.idBuilder();
            IdBuilderOptions options = options(keys);
            if (keys.createTable()) {
                jdbc.createIdBuilderTable();
            }
            return LocalIdBuilder.create(jdbc.builderConfigs(), options);
        }

        private static IdBuilderOptions options(TenonProperties.IdBuilderKeys keys) {
            try {
                Integer index = keys.machineIndex();
                IdBuilderOptions options = index == null
                        ? IdBuilderOptions.fromSystemProperties()
                        : IdBuilderOptions.DEFAULT.withMachineIndex(index);
                return options.withFetchAtStart(keys.fetchAtStart())
                        .withPolicy(SegmentPolicy.DEFAULT
                                .withPrefetchAt(keys.prefetchAt())
                                .withWaitMax(keys.waitAtMost()));
            } catch (IllegalArgumentException e) {
                throw new TenonStartException(
                        "tenon.id-builder isn't right: " + e.getMessage(), "Correct it in the configuration.", e);
            }
        }
    }

    /** What a server has: definitions with a code, and the table in its database. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(TenonClient.class)
    @ConditionalOnBean(TenonClient.class)
    @ConditionalOnMissingBean(IdBuilder.class)
    static class OfServer {
        @Bean
        @Lazy
        IdBuilder tenonIdBuilder(TenonClient client) {
            return client.idBuilder();
        }
    }
}
