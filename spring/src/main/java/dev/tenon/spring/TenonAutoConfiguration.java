package dev.tenon.spring;

import dev.tenon.lock.Locks;
import java.util.Objects;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** What stands on the backend, whichever it is; or the reason why there is none. */
@AutoConfiguration(
        after = {
            MemoryBackendAutoConfiguration.class,
            JdbcBackendAutoConfiguration.class,
            RedisBackendAutoConfiguration.class,
            ZooKeeperBackendAutoConfiguration.class,
            EtcdBackendAutoConfiguration.class,
            ServerBackendAutoConfiguration.class
        })
@EnableConfigurationProperties(TenonProperties.class)
final class TenonAutoConfiguration {
    /** Nobody has made a backend. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(TenonBackend.class)
    @Conditional(StoreWanted.class)
    static class WithoutBackend {
        @Bean
        TenonBackend tenonBackend(Environment environment, ResourceLoader resources) {
            BackendChoice choice = BackendChoice.of(environment, Objects.requireNonNull(resources.getClassLoader()));
            if (choice.kind().isPresent()) {
                throw new TenonStartException(
                        "Tenon is to use the backend " + choice.kind().get().key()
                                + ", whose auto-configuration is switched off.",
                        "Don't exclude it, or give the application a bean of type TenonBackend.");
            }
            throw new TenonStartException(choice.problem(), choice.advice());
        }
    }

    /** Locks and IDs are not said to do without a store. */
    static final class StoreWanted implements Condition {
        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return !BackendKind.NONE
                    .key()
                    .equalsIgnoreCase(context.getEnvironment()
                            .getProperty(BackendChoice.KEY, "")
                            .strip());
        }
    }

    /** There is a store. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(TenonBackend.class)
    static class WithBackend {
        /** Closed with the backend that they are of. */
        @Bean(destroyMethod = "")
        @ConditionalOnMissingBean
        Locks tenonLocks(TenonBackend backend) {
            return backend.locks();
        }

        @Bean
        HeldLocks tenonHeldLocks(Locks locks) {
            return new HeldLocks(locks);
        }
    }
}
