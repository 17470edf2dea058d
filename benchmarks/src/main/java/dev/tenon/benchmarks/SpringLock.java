package dev.tenon.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import dev.tenon.testkit.RedisAddress;
import dev.tenon.testkit.SqlAddress;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * The lock registries of Spring Integration: no token, no queue, no renewal unless it is asked for. On Redis with
 * publish/subscribe, its faster kind; on SQL it asks again every 100 ms. Threads of one process stand before a local
 * lock.
 */
final class SpringLock implements LockContender {
    static final String ON_REDIS = "Spring Integration";
    static final String ON_SQL = "Spring Integration JDBC";

    private static final Duration LEASE = Duration.ofSeconds(30);

    private final String title;
    private final Function<String, Lock> registry;
    private final Runnable close;

    private SpringLock(String title, Function<String, Lock> registry, Runnable close) {
        this.title = title;
        this.registry = registry;
        this.close = close;
    }

    static SpringLock onRedis(RedisAddress address) {
        LettuceConnectionFactory factory = new LettuceConnectionFactory(address.host(), address.port());
        factory.afterPropertiesSet();
        factory.start();
        RedisLockRegistry registry = new RedisLockRegistry(factory, "spring", LEASE);
        registry.setRedisLockType(RedisLockRegistry.RedisLockType.PUB_SUB_LOCK);
        ExecutorService listeners = Executors.newCachedThreadPool();
        registry.setExecutor(listeners); // its own one refuses, aloud, what comes while it is closed
        return new SpringLock(ON_REDIS, registry::obtain, () -> {
            registry.destroy();
            factory.destroy();
            listeners.shutdown();
        });
    }

    /** Over a pool of 20 connections, with the statement that its documentation has for PostgreSQL. */
    static SpringLock onSql(SqlAddress address) {
        HikariDataSource pool = SqlPool.to(address);
        SqlPool.execute(
                pool,
                "CREATE TABLE IF NOT EXISTS INT_LOCK (LOCK_KEY CHAR(36) NOT NULL, REGION VARCHAR(100) NOT NULL,"
                        + " CLIENT_ID CHAR(36), CREATED_DATE TIMESTAMP(6) NOT NULL, EXPIRED_AFTER TIMESTAMP(6) NOT NULL,"
                        + " CONSTRAINT INT_LOCK_PK PRIMARY KEY (LOCK_KEY, REGION))");
        DefaultLockRepository repository = new DefaultLockRepository(pool);
        repository.setTransactionManager(new JdbcTransactionManager(pool));
        if (address.url().startsWith("jdbc:postgresql")) {
            repository.setInsertQuery(repository.getInsertQuery() + " ON CONFLICT DO NOTHING");
        }
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        repository.start();
        JdbcLockRegistry registry = new JdbcLockRegistry(repository, LEASE);
        return new SpringLock(ON_SQL, registry::obtain, () -> {
            repository.close();
            pool.close();
        });
    }

    @Override
    public String title() {
        return title;
    }

    @Override
    public Hold acquire(String name) {
        Lock lock = registry.apply(name);
        lock.lock();
        return lock::unlock;
    }

    @Override
    public void close() {
        close.run();
    }
}
