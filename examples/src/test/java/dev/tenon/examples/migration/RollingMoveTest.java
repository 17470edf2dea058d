package dev.tenon.examples.migration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.redis.RedisBackend;
import dev.tenon.redis.RedisOptions;
import dev.tenon.testkit.RedisServer;
import dev.tenon.testkit.ZooKeeperServer;
import dev.tenon.zookeeper.ZooKeeperBackend;
import dev.tenon.zookeeper.ZooKeeperOptions;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.provider.jdbc.JdbcLockProvider;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** A program is moved from another library's lock to Tenon's, process by process, and never do two run at a time. */
class RollingMoveTest {
    private static final int ROUNDS = 5;
    private static final long PATIENCE_SECONDS = 120;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Test
    void fromRedisson() throws Exception {
        String redis = RedisServer.shared().uri();
        Config config = new Config();
        config.useSingleServer()
                .setAddress(redis)
                .setConnectionMinimumIdleSize(2)
                .setConnectTimeout(60_000)
                .setTimeout(60_000);
        RedissonClient redisson = Redisson.create(config);
        try (RedisBackend backend = RedisBackend.connect(RedisOptions.of(redis).withCommandTimeout(PATIENCE))) {
            movesWithoutAMomentOfTwo(new FromRedisson(redisson, backend.locks()));
        } finally {
            redisson.shutdown();
        }
    }

    @Test
    void fromCurator() throws Exception {
        String zooKeeper = ZooKeeperServer.shared().connectString();
        try (CuratorFramework curator = CuratorFrameworkFactory.newClient(zooKeeper, new RetryOneTime(100));
                ZooKeeperBackend backend =
                        ZooKeeperBackend.connect(zooKeeper, ZooKeeperOptions.DEFAULT.withRequestTimeout(PATIENCE))) {
            curator.start();
            movesWithoutAMomentOfTwo(new FromCurator(curator, backend.locks()));
        }
    }

    @Test
    void fromShedLock() throws Exception {
        DataSource database = database("CREATE TABLE shedlock (name VARCHAR(64) PRIMARY KEY, lock_until TIMESTAMP(3),"
                + " locked_at TIMESTAMP(3), locked_by VARCHAR(255))");
        try (JdbcBackend backend = JdbcBackend.over(database)) {
            movesWithoutAMomentOfTwo(
                    new FromShedLock(new DefaultLockingTaskExecutor(new JdbcLockProvider(database)), backend.locks()));
        }
    }

    @Test
    void fromATable() throws Exception {
        DataSource database = database("CREATE TABLE method_lock (id INT AUTO_INCREMENT PRIMARY KEY,"
                + " method_name VARCHAR(64) NOT NULL UNIQUE, update_time TIMESTAMP DEFAULT CURRENT_TIMESTAMP)");
        try (JdbcBackend backend = JdbcBackend.over(database)) {
            movesWithoutAMomentOfTwo(new FromTables(database, backend.locks()));
        }
    }

    private static DataSource database(String table) throws Exception {
        DataSource database =
                JdbcConnectionPool.create("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "", "");
        try (Connection connection = database.getConnection()) {
            connection.createStatement().execute(table);
        }
        return database;
    }

    private interface Release {
        void run(Runnable work) throws Exception;
    }

    private static void movesWithoutAMomentOfTwo(OneAtATime program) throws Exception {
        // Why there is a release with both: the two locks know nothing of each other.
        AtomicInteger inside = new AtomicInteger();
        program.before(() -> {
            try {
                program.after(token -> inside.incrementAndGet());
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(inside).hasValue(1);

        neverTwo(
                program::before,
                work -> program.both(token -> work.run())); // the first roll-out, or taking back the second
        neverTwo(work -> program.both(token -> work.run()), work -> program.after(token -> work.run())); // the second
    }

    /** Two processes of each release, all at it at the same time. */
    private static void neverTwo(Release one, Release other) throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<Future<?>> processes = new ArrayList<>();
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            for (Release release : List.of(one, other)) {
                for (int process = 0; process < 2; process++) {
                    processes.add(threads.submit(() -> {
                        work(release, inside, most);
                        return true;
                    }));
                }
            }
            for (Future<?> process : processes) {
                process.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(most).hasValue(1);
    }

    private static void work(Release release, AtomicInteger inside, AtomicInteger most) throws Exception {
        AtomicInteger ran = new AtomicInteger();
        while (ran.get() < ROUNDS) { // who finds it locked may be told so, and comes again
            release.run(() -> {
                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
                inside.decrementAndGet();
                ran.incrementAndGet();
            });
        }
    }
}
