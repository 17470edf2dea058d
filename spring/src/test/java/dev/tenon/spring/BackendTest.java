package dev.tenon.spring;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.zaxxer.hikari.HikariDataSource;
import dev.tenon.client.TenonClient;
import dev.tenon.etcd.EtcdBackend;
import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.lock.Lease;
import dev.tenon.lock.Locks;
import dev.tenon.memory.MemoryBackend;
import dev.tenon.redis.RedisBackend;
import dev.tenon.testkit.EtcdServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.RedisAddress;
import dev.tenon.testkit.RedisServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.testkit.TestPort;
import dev.tenon.testkit.ZooKeeperServer;
import dev.tenon.zookeeper.ZooKeeperBackend;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/** Each backend from a few keys, on a real store; and what is said when that can't be. */
class BackendTest {
    private static final List<Class<?>> BACKENDS = List.of(
            JdbcBackend.class,
            RedisBackend.class,
            ZooKeeperBackend.class,
            EtcdBackend.class,
            TenonClient.class,
            MemoryBackend.class);

    private static final Logger LOG = (Logger) LoggerFactory.getLogger(TenonBackend.class);
    private static final ListAppender<ILoggingEvent> LINES = new ListAppender<>();

    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(Starter.autoConfigurations()));

    @Test
    void theOnlyBackendOnTheClassPathIsUsed() {
        runner.withClassLoader(only(MemoryBackend.class))
                .run(context -> assertWorks(context, "memory", MemoryBackend.class));
    }

    @Test
    void noBackendIsSaidWithAllThatThereAre() {
        runner.withClassLoader(only()).run(context -> {
            FailureAnalysis failure = analysis(context);
            assertThat(failure.getDescription()).contains("no backend");
            assertThat(failure.getAction())
                    .contains(
                            "dev.tenon:tenon-jdbc",
                            "dev.tenon:tenon-redis",
                            "dev.tenon:tenon-client",
                            "tenon.backend=none");
        });
    }

    @Test
    void severalBackendsNeedAChoice() {
        runner.withClassLoader(only(JdbcBackend.class, RedisBackend.class)).run(context -> {
            FailureAnalysis failure = analysis(context);
            assertThat(failure.getDescription()).contains("several backends", "jdbc, redis");
            assertThat(failure.getAction()).contains("tenon.backend");
        });
    }

    @Test
    void aBackendWithoutItsJarIsSaidWithTheDependency() {
        runner.withClassLoader(only(MemoryBackend.class))
                .withPropertyValues("tenon.backend=etcd")
                .run(context -> {
                    FailureAnalysis failure = analysis(context);
                    assertThat(failure.getDescription()).contains("\"etcd\"", "not on the class path");
                    assertThat(failure.getAction()).contains("dev.tenon:tenon-etcd");
                });
    }

    @Test
    void aBackendThatDoesNotExistIsRefused() {
        runner.withPropertyValues("tenon.backend=mongo")
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("mongo"));
    }

    @Test
    void withoutAStoreThereAreNoLocks() {
        runner.withPropertyValues("tenon.backend=none")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(TenonBackend.class)
                        .doesNotHaveBean(Locks.class)
                        .doesNotHaveBean(CurrentLease.class));
    }

    @Test
    void anExcludedAutoConfigurationIsSaid() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(TenonAutoConfiguration.class))
                .withPropertyValues("tenon.backend=memory")
                .run(context -> assertThat(analysis(context).getDescription()).contains("switched off"));
    }

    @Test
    void theDataSourceOfTheApplicationIsTheStore() {
        SqlAddress database = PostgresServer.shared();
        runner.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
                .withPropertyValues("tenon.backend=jdbc")
                .withPropertyValues(dataSource(database))
                .run(context -> {
                    assertWorks(context, "jdbc", JdbcBackend.class);
                    try (Lease lease = context.getBean(Locks.class).lock("a").acquire(Duration.ofSeconds(30))) {
                        assertThat(Starter.count(database, "select count(*) from tenon_lock where name = 'a'"))
                                .as("rows of the lock in the application's database, held with %s", lease)
                                .isEqualTo(1);
                    }
                });
    }

    @Test
    void aDataSourceThatTiesConnectionsToTransactionsIsUnwrapped() {
        runner.withUserConfiguration(TiedSource.class)
                .withPropertyValues("tenon.backend=jdbc", "tenon.jdbc.allow-in-memory-database=true")
                .run(context -> {
                    assertWorks(context, "jdbc", JdbcBackend.class);
                    assertThat(context.getBean(DataSource.class)).isInstanceOf(TransactionAwareDataSourceProxy.class);
                });
    }

    @Test
    void anUrlOfItsOwnNeedsNoDataSource() {
        SqlAddress database = PostgresServer.shared();
        runner.withPropertyValues(
                        "tenon.backend=jdbc",
                        "tenon.jdbc.url=" + database.url(),
                        "tenon.jdbc.user=" + database.user(),
                        "tenon.jdbc.password=" + database.password())
                .run(context -> assertWorks(context, "jdbc", JdbcBackend.class));
    }

    @Test
    void severalDataSourcesNeedAName() {
        ApplicationContextRunner two = runner.withUserConfiguration(TwoSources.class)
                .withPropertyValues("tenon.backend=jdbc", "tenon.jdbc.allow-in-memory-database=true");
        two.run(context -> {
            FailureAnalysis failure = analysis(context);
            assertThat(failure.getDescription()).contains("several DataSource beans");
            assertThat(failure.getAction()).contains("tenon.jdbc.data-source");
        });
        two.withPropertyValues("tenon.jdbc.data-source=nowhere")
                .run(context -> assertThat(analysis(context).getDescription()).contains("\"nowhere\""));
        two.withPropertyValues("tenon.jdbc.data-source=second")
                .run(context -> assertWorks(context, "jdbc", JdbcBackend.class));
    }

    @Test
    void aBackendWithoutAnAddressIsSaidWithTheKey() {
        for (String[] expected : List.of(
                new String[] {"jdbc", "tenon.jdbc.url"},
                new String[] {"redis", "tenon.redis.uri"},
                new String[] {"zookeeper", "tenon.zookeeper.connect-string"},
                new String[] {"etcd", "tenon.etcd.endpoints"},
                new String[] {"server", "tenon.server.address"})) {
            runner.withPropertyValues("tenon.backend=" + expected[0]).run(context -> {
                FailureAnalysis failure = analysis(context);
                assertThat(failure.getDescription()).contains("nobody says where");
                assertThat(failure.getAction()).contains(expected[1]);
            });
        }
    }

    @Test
    void anAddressThatIsNoneIsSaidWithItsForm() {
        for (String[] wrong : List.of(
                new String[] {"jdbc", "tenon.jdbc.url=jdbc:oracle:thin:@host"},
                new String[] {"redis", "tenon.redis.uri=http://user:hush@localhost"},
                new String[] {"zookeeper", "tenon.zookeeper.connect-string=localhost:notaport"},
                new String[] {"etcd", "tenon.etcd.endpoints=localhost"},
                new String[] {"server", "tenon.server.address=localhost"})) {
            String key = wrong[1].substring(0, wrong[1].indexOf('='));
            runner.withPropertyValues("tenon.backend=" + wrong[0], wrong[1]).run(context -> {
                FailureAnalysis failure = analysis(context);
                assertThat(failure.getDescription())
                        .contains(key + " isn't right")
                        .doesNotContain("hush");
                assertThat(failure.getAction()).contains("the form is");
            });
        }
    }

    @Test
    void aStoreThatIsDownIsSaid() {
        try (TestPort nobody = TestPort.reserve()) {
            String at = "127.0.0.1:" + nobody.number();
            for (String[] down : List.of(
                    new String[] {"jdbc", "tenon.jdbc.url=jdbc:postgresql://" + at + "/x", "tenon.jdbc.password=hush"},
                    new String[] {"redis", "tenon.redis.uri=redis://user:hush@" + at, "a=b"},
                    new String[] {"etcd", "tenon.etcd.endpoints=http://" + at, "a=b"},
                    new String[] {"server", "tenon.server.address=" + at, "tenon.server.call-timeout=1s"})) {
                runner.withPropertyValues("tenon.backend=" + down[0], down[1], down[2])
                        .run(context -> {
                            FailureAnalysis failure = analysis(context);
                            assertThat(failure.getDescription())
                                    .contains("can't be used")
                                    .doesNotContain("hush");
                            assertThat(failure.getAction()).contains("Is it up");
                        });
            }
        }
    }

    @Test
    void redisIsTheOneOfSpringData() {
        RedisAddress redis = RedisServer.shared().newDatabase();
        runner.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
                .withPropertyValues(
                        "tenon.backend=redis",
                        "tenon.redis.key-prefix=mine",
                        "spring.data.redis.host=" + redis.host(),
                        "spring.data.redis.port=" + redis.port(),
                        "spring.data.redis.database=" + redis.database())
                .run(context -> {
                    assertWorks(context, "redis", RedisBackend.class);
                    assertThat(redis.command("KEYS", "mine*")).isNotEmpty();
                });
    }

    @Test
    void redisByItsUri() {
        runner.withPropertyValues(
                        "tenon.backend=redis",
                        "tenon.redis.uri=" + RedisServer.shared().newDatabase().uri())
                .run(context -> assertWorks(context, "redis", RedisBackend.class));
    }

    @Test
    void zooKeeperIsTheOneOfTheApplicationsCurator() {
        runner.withBean(
                        CuratorFramework.class,
                        () -> CuratorFrameworkFactory.newClient(
                                ZooKeeperServer.shared().connectString(), (retries, elapsed, sleeper) -> false))
                .withPropertyValues("tenon.backend=zookeeper")
                .run(context -> assertWorks(context, "zookeeper", ZooKeeperBackend.class));
    }

    @Test
    void etcdByItsEndpoints() {
        runner.withPropertyValues(
                        "tenon.backend=etcd",
                        "tenon.etcd.endpoints=" + EtcdServer.shared().endpoint(),
                        "tenon.etcd.key-prefix=" + EtcdServer.shared().keyPrefix())
                .run(context -> assertWorks(context, "etcd", EtcdBackend.class));
    }

    @Test
    void aBackendOfTheApplicationIsTaken() {
        runner.withBean(MemoryBackend.class, MemoryBackend::create)
                .withUserConfiguration(OwnBackend.class)
                .run(context ->
                        assertThat(context.getBean(TenonBackend.class).kind()).isEqualTo("own"));
    }

    private static void assertWorks(AssertableApplicationContext context, String kind, Class<?> type)
            throws InterruptedException {
        assertThat(context).hasNotFailed().hasSingleBean(type).hasSingleBean(Locks.class);
        TenonBackend backend = context.getBean(TenonBackend.class);
        assertThat(backend.kind()).isEqualTo(kind);
        assertThat(List.copyOf(LINES.list))
                .anySatisfy(
                        line -> assertThat(line.getFormattedMessage()).startsWith("Tenon's backend is " + kind + ", "));
        try (Lease lease = context.getBean(Locks.class).lock("b").acquire(Duration.ofSeconds(30))) {
            assertThat(context.getBean(Locks.class).lock("b").tryAcquire()).isEmpty();
            assertThat(lease.token()).isPositive();
        }
        assertThat(backend.ranges().next("n", 3).count()).isEqualTo(3);
        assertThat(backend.workerIds().apply("g").census()).isEmpty();
    }

    @BeforeAll
    static void listen() {
        LINES.start();
        LOG.setLevel(Level.INFO);
        LOG.addAppender(LINES);
    }

    @AfterAll
    static void listenNoMore() {
        LOG.detachAppender(LINES);
        LOG.setLevel(null);
    }

    private static FailureAnalysis analysis(AssertableApplicationContext context) {
        assertThat(context).hasFailed();
        return Optional.ofNullable(new TenonFailureAnalyzer().analyze(context.getStartupFailure()))
                .orElseThrow(() -> new AssertionError("no analysis", context.getStartupFailure()));
    }

    private static FilteredClassLoader only(Class<?>... present) {
        List<Class<?>> wanted = Arrays.asList(present);
        return new FilteredClassLoader(
                BACKENDS.stream().filter(type -> !wanted.contains(type)).toArray(Class<?>[]::new));
    }

    private static String[] dataSource(SqlAddress database) {
        return new String[] {
            "spring.datasource.url=" + database.url(),
            "spring.datasource.username=" + database.user(),
            "spring.datasource.password=" + database.password()
        };
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnBackend {
        @Bean
        TenonBackend own(MemoryBackend memory) {
            return new TenonBackend("own", memory.locks(), memory.ranges(), memory::workerIds);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoSources {
        @Bean
        DataSource first() {
            return new DriverManagerDataSource("jdbc:h2:mem:first;DB_CLOSE_DELAY=-1");
        }

        @Bean
        DataSource second() {
            return new DriverManagerDataSource("jdbc:h2:mem:second;DB_CLOSE_DELAY=-1");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TiedSource {
        @Bean
        DataSource tied() {
            HikariDataSource pool = new HikariDataSource();
            pool.setJdbcUrl("jdbc:h2:mem:tied");
            return new TransactionAwareDataSourceProxy(pool);
        }
    }
}
