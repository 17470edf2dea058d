package dev.tenon.spring;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.redis.RedisBackend;
import dev.tenon.redis.RedisOptions;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A Redis: the one that Spring Data Redis uses, over connections of its own, or another. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
            "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration"
        })
@ConditionalOnClass(RedisBackend.class)
@ConditionalOnBackend(BackendKind.REDIS)
@ConditionalOnMissingBean(TenonBackend.class)
@EnableConfigurationProperties(TenonProperties.class)
final class RedisBackendAutoConfiguration {
    private static final String FORM =
            "redis://[user:password@]host[:port][/database], redis-sentinel://… or redis-cluster://…";

    /** Where the application's Redis is. */
    interface ApplicationRedis {
        String uri();
    }

    /** Spring Data Redis is there. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(LettuceConnectionFactory.class)
    static class OfSpringData {
        @Bean
        ApplicationRedis tenonApplicationRedis(ObjectProvider<LettuceConnectionFactory> factories) {
            return () -> {
                LettuceConnectionFactory factory = factories.getIfUnique();
                if (factory == null) {
                    throw Connection.missing(
                            "a Redis", "tenon.redis.uri", ": there is no one LettuceConnectionFactory to take it from");
                }
                return LettuceAddress.of(factory);
            };
        }
    }

    @Bean
    @ConditionalOnMissingBean
    RedisBackend tenonRedisBackend(TenonProperties properties, ObjectProvider<ApplicationRedis> application) {
        TenonProperties.Redis redis = properties.redis();
        String given = redis.uri();
        ApplicationRedis theirs = given == null ? application.getIfAvailable() : null;
        if (given == null && theirs == null) {
            throw Connection.missing("a Redis", "tenon.redis.uri", ", or add Spring Data Redis and spring.data.redis");
        }
        String uri = theirs == null ? String.valueOf(given) : theirs.uri();
        String source = theirs == null ? "tenon.redis.uri" : "the LettuceConnectionFactory (spring.data.redis)";
        return Connection.open(
                new Connection.Place(BackendKind.REDIS, source, FORM, uri),
                () -> RedisBackend.connect(RedisOptions.of(uri)
                        .withKeyPrefix(redis.keyPrefix())
                        .withCommandTimeout(redis.commandTimeout())),
                RedisBackend::locks);
    }

    @Bean
    TenonBackend tenonBackend(RedisBackend redis) {
        return new TenonBackend(BackendKind.REDIS.key(), redis.locks(), redis.ranges(), redis::workerIds);
    }

    /** Closed with the backend that it is of. */
    @Bean(destroyMethod = "")
    @ConditionalOnMissingBean
    LockStore tenonLockStore(RedisBackend redis) {
        return redis.lockStore();
    }
}
