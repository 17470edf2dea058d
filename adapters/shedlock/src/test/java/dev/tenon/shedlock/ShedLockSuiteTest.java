package dev.tenon.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.etcd.EtcdBackend;
import dev.tenon.etcd.EtcdOptions;
import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.LockView;
import dev.tenon.memory.MemoryBackend;
import dev.tenon.raft.RaftBackend;
import dev.tenon.raft.RaftOptions;
import dev.tenon.redis.RedisBackend;
import dev.tenon.redis.RedisOptions;
import dev.tenon.testkit.EtcdServer;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.RedisServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.testkit.ZooKeeperServer;
import dev.tenon.zookeeper.ZooKeeperBackend;
import dev.tenon.zookeeper.ZooKeeperOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.test.support.AbstractExtensibleLockProviderIntegrationTest;
import net.javacrumbs.shedlock.test.support.FuzzTester;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * The suite that ShedLock publishes for its lock providers, over each of Tenon's stores. Nearly all of its time is
 * sleep, so the stores take it at the same time; each takes one test after the other, which is what the resource locks
 * are for.
 */
class ShedLockSuiteTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final MemoryBackend MEMORY = MemoryBackend.create();
    private static JdbcBackend h2;
    private static JdbcBackend mariaDb;
    private static JdbcBackend mySql;
    private static JdbcBackend postgres;
    private static RedisBackend redis;
    private static RaftBackend raft;
    private static ZooKeeperBackend zooKeeper;
    private static EtcdBackend etcd;

    @BeforeAll
    static void connect(@TempDir Path data) {
        h2 = JdbcBackend.connect("jdbc:h2:mem:" + UUID.randomUUID());
        mariaDb = connect(MariaDbServer.shared());
        mySql = connect(MySqlServer.shared());
        postgres = connect(PostgresServer.shared());
        redis = RedisBackend.connect(RedisOptions.of(RedisServer.shared().uri()).withCommandTimeout(PATIENCE));
        raft = RaftBackend.open(data, RaftOptions.DEFAULT);
        zooKeeper = ZooKeeperBackend.connect(
                ZooKeeperServer.shared().connectString(), ZooKeeperOptions.DEFAULT.withRequestTimeout(PATIENCE));
        etcd = EtcdBackend.connect(
                EtcdOptions.of(EtcdServer.shared().endpoint()).withCommandTimeout(PATIENCE));
    }

    @AfterAll
    static void disconnect() {
        etcd.close();
        zooKeeper.close();
        raft.close();
        redis.close();
        postgres.close();
        mySql.close();
        mariaDb.close();
        h2.close();
        MEMORY.close();
    }

    private static JdbcBackend connect(SqlAddress address) {
        return JdbcBackend.connect(address.url(), address.user(), address.password());
    }

    /** One store. */
    abstract static class Suite extends AbstractExtensibleLockProviderIntegrationTest {
        private final LockStore store;
        private TenonLockProvider provider;
        private Duration slept = Duration.ZERO;

        Suite(LockStore store) {
            this.store = store;
        }

        @BeforeEach
        void open() {
            provider = TenonLockProvider.over(store);
            isLocked(LOCK_NAME1); // what is slow the first time is not the suite's business
        }

        @AfterEach
        void close() {
            provider.close();
        }

        @Override
        protected ExtensibleLockProvider getLockProvider() {
            return provider;
        }

        @Override
        protected void assertUnlocked(String name) {
            await().atMost(PATIENCE).until(() -> !isLocked(name));
        }

        @Override
        protected void assertLocked(String name) {
            assertThat(isLocked(name)).isTrue();
        }

        private boolean isLocked(String name) {
            return store.inspect(name)
                    .toCompletableFuture()
                    .join()
                    .flatMap(LockView::holder)
                    .isPresent();
        }

        /** A tenth of the usual rounds: its threads never pause, and those of six stores share the machine. */
        @Override
        @Test
        public void fuzzTestShouldPass() throws ExecutionException, InterruptedException {
            new FuzzTester(getLockProvider(), Duration.ofMillis(1), Duration.ofMinutes(5), 10).doFuzzTest();
        }

        @Override
        @Test
        public void shouldBeAbleToExtendLock() {
            unlessStalled(super::shouldBeAbleToExtendLock);
        }

        @Override
        @Test
        public void shouldBeAbleToExtendMultipleTimes() {
            unlessStalled(super::shouldBeAbleToExtendMultipleTimes);
        }

        @Override
        @Test
        public void shouldNotBeAbleToExtendUnlockedLock() {
            unlessStalled(super::shouldNotBeAbleToExtendUnlockedLock);
        }

        @Override
        @Test
        public void shouldLockAtLeastFor() {
            unlessStalled(super::shouldLockAtLeastFor);
        }

        @Override
        protected void sleepFor(Duration duration) {
            super.sleepFor(duration);
            slept = slept.plus(duration);
        }

        /**
         * These tests hold a lock for two seconds and expect to get through a step before they are over. Where the
         * machine stood still for longer than that, the failure tells nothing, and the test is run again.
         */
        private void unlessStalled(Step test) {
            for (int run = 1; ; run++) {
                long start = System.nanoTime();
                slept = Duration.ZERO;
                try {
                    test.run();
                    return;
                } catch (AssertionError e) {
                    Duration busy = Duration.ofNanos(System.nanoTime() - start).minus(slept);
                    if (busy.compareTo(LOCK_AT_LEAST_FOR) < 0 || run == 10) {
                        throw e;
                    }
                    assertUnlocked(LOCK_NAME1);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }

        private interface Step {
            void run() throws InterruptedException;
        }
    }

    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock("OnMemory")
    class OnMemory extends Suite {
        OnMemory() {
            super(MEMORY.lockStore());
        }
    }

    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock("OnH2")
    class OnH2 extends Suite {
        OnH2() {
            super(h2.lockStore());
        }
    }

    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock("OnMariaDb")
    class OnMariaDb extends Suite {
        OnMariaDb() {
            super(mariaDb.lockStore());
        }
    }

    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock("OnMySql")
    class OnMySql extends Suite {
        OnMySql() {
            super(mySql.lockStore());
        }
    }

    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock("OnPostgres")
    class OnPostgres extends Suite {
        OnPostgres() {
            super(postgres.lockStore());
        }
    }

    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock("OnRedis")
    class OnRedis extends Suite {
        OnRedis() {
            super(redis.lockStore());
        }
    }

    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock("OnRaft")
    class OnRaft extends Suite {
        OnRaft() {
            super(raft.lockStore());
        }
    }

    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock("OnZooKeeper")
    class OnZooKeeper extends Suite {
        OnZooKeeper() {
            super(zooKeeper.lockStore());
        }
    }

    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock("OnEtcd")
    class OnEtcd extends Suite {
        OnEtcd() {
            super(etcd.lockStore());
        }
    }
}
