package dev.tenon.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.zaxxer.hikari.HikariConfig;
import dev.tenon.memory.MemoryBackend;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.RedisAddress;
import dev.tenon.testkit.RedisServer;
import dev.tenon.testkit.SqlAddress;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

/**
 * Nobody is on a store that they do not know of: not on one in memory that was made for them, and the one that it is
 * stands in the log.
 */
class WhichStoreTest {
    private static final Logger LOG = (Logger) LoggerFactory.getLogger(TenonBackend.class);

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(Starter.autoConfigurations()));
    private final ApplicationContextRunner jdbc = runner.withConfiguration(
                    AutoConfigurations.of(DataSourceAutoConfiguration.class))
            .withPropertyValues("tenon.backend=jdbc");

    @BeforeEach
    void listen() {
        log.start();
        LOG.setLevel(Level.INFO);
        LOG.addAppender(log);
    }

    @AfterEach
    void listenNoMore() {
        LOG.detachAppender(log);
        LOG.setLevel(null);
    }

    @Test
    void aDatabaseThatBootMadeInMemoryIsRefusedUnlessItIsMeant() {
        jdbc.run(context -> {
            FailureAnalysis failure = analysis(context.getStartupFailure());
            assertThat(failure.getDescription())
                    .contains("in the memory of this process", "the DataSource of the application: jdbc:h2:mem:");
            assertThat(failure.getAction())
                    .contains(
                            "spring.datasource.url",
                            "Spring Boot has made this one",
                            "tenon.jdbc.allow-in-memory-database=true");
        });
        jdbc.withPropertyValues("tenon.jdbc.allow-in-memory-database=true").run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(onlyLine())
                    .startsWith("Tenon's backend is jdbc, at jdbc:h2:mem:")
                    .endsWith(", given by the DataSource of the application");
        });
    }

    @ParameterizedTest
    @CsvSource({
        "jdbc:h2:mem:shop;PASSWORD=hush, true",
        "JDBC:H2:MEM:shop, true",
        "jdbc:hsqldb:mem:shop, true",
        "jdbc:hsqldb:., true",
        "jdbc:derby:memory:shop;create=true, true",
        "jdbc:h2:tcp://db/mem:shop, false",
        "jdbc:h2:file:./mem, false",
        "jdbc:hsqldb:file:shop, false",
        "jdbc:derby:shop, false",
        "jdbc:postgresql://db/mem, false"
    })
    void knowsWhatIsInMemory(String url, boolean inMemory) {
        assertThat(EmbeddedDatabase.isInMemory(url)).isEqualTo(inMemory);
    }

    @Test
    void oneInMemoryThatTheKeyOfTenonNamesIsRefusedToo() {
        jdbc.withPropertyValues("tenon.jdbc.url=jdbc:h2:mem:shop;PASSWORD=hush").run(context -> {
            FailureAnalysis failure = analysis(context.getStartupFailure());
            assertThat(failure.getDescription())
                    .contains("tenon.jdbc.url: jdbc:h2:mem:shop)")
                    .doesNotContain("hush");
        });
    }

    @Test
    void theLogSaysWhichStoreItIsAndNoSecretOfIt() {
        SqlAddress sql = PostgresServer.shared();
        RedisAddress redis = RedisServer.shared().newDatabase();
        redis.command("ACL", "SETUSER", "whisperer", "on", ">hush", "~*", "&*", "+@all");
        String at = redis.host() + ":" + redis.port();
        String inside = sql.url() + "?user=" + sql.user() + "&password=" + sql.password() + "&ApplicationName=hush";
        for (String[] store : List.of(
                new String[] {
                    "jdbc, at " + sql.url() + ", given by tenon.jdbc.url",
                    "tenon.jdbc.url=" + inside,
                    "tenon.jdbc.user=" + sql.user(),
                    "tenon.jdbc.password=" + sql.password()
                },
                new String[] {
                    "redis, at redis://" + at + "/" + redis.database() + ", given by tenon.redis.uri",
                    "tenon.redis.uri=redis://whisperer:hush@" + at + "/" + redis.database()
                },
                new String[] {"memory, in this process alone: others have locks and IDs of their own"})) {
            String kind = store[0].substring(0, store[0].indexOf(','));
            runner.withPropertyValues("tenon.backend=" + kind)
                    .withPropertyValues(Stream.of(store).skip(1).toArray(String[]::new))
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        assertThat(onlyLine())
                                .isEqualTo("Tenon's backend is " + store[0])
                                .doesNotContain("hush", "whisperer", "?");
                    });
            log.list.clear();
        }
    }

    @Test
    void aServerIsNamedWithoutWhatIsBeforeIt() {
        Connection.Place place = new Connection.Place(
                BackendKind.SERVER, "tenon.server.address", "host:port", "whisperer:hush@tenon:7700,tenon2:7700");
        try (MemoryBackend stands = Connection.open(place, MemoryBackend::create, MemoryBackend::locks)) {
            assertThat(stands).isNotNull();
            assertThat(onlyLine())
                    .isEqualTo("Tenon's backend is server, at tenon:7700,tenon2:7700, given by tenon.server.address");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "org.postgresql.Driver, org.postgresql:postgresql",
        "org.mariadb.jdbc.Driver, org.mariadb.jdbc:mariadb-java-client",
        "com.mysql.cj.jdbc.Driver, com.mysql:mysql-connector-j",
        "org.h2.Driver, com.h2database:h2"
    })
    void aDriverThatIsMissingIsSaidWithItsDependency(String driver, String artifact) {
        for (String told : List.of(
                "Cannot load driver class: " + driver,
                "Failed to load driver class " + driver
                        + " in either of HikariConfig class loader or Thread context classloader")) {
            FailureAnalysis failure = analysis(new IllegalStateException("bean", new IllegalStateException(told)));
            assertThat(failure.getDescription()).contains(driver, "not on the class path. tenon-jdbc brings none");
            assertThat(failure.getAction()).contains(artifact);
        }
    }

    @Test
    void theErrorsOfBootAndOfThePoolAreTheOnesThatAreLookedFor() {
        jdbc.withPropertyValues("spring.datasource.driver-class-name=com.example.NoDriver")
                .run(context -> assertThat(MissingDriverFailureAnalyzer.missing(context.getStartupFailure()))
                        .contains("com.example.NoDriver"));
        assertThatThrownBy(() -> new HikariConfig().setDriverClassName("com.example.NoDriver"))
                .satisfies(failure -> assertThat(MissingDriverFailureAnalyzer.missing(failure))
                        .contains("com.example.NoDriver"));
    }

    private String onlyLine() {
        assertThat(log.list).hasSize(1);
        assertThat(log.list.get(0).getLevel()).isEqualTo(Level.INFO);
        return log.list.get(0).getFormattedMessage();
    }

    /** What one of the analyzers that an application finds has to say. */
    private static FailureAnalysis analysis(Throwable failure) {
        assertThat(failure).isNotNull();
        return SpringFactoriesLoader.forDefaultResourceLocation()
                .load(
                        FailureAnalyzer.class,
                        FailureHandler.handleMessage((message, error) -> {})) // who needs a bean factory
                .stream()
                .filter(analyzer -> analyzer.getClass().getName().startsWith("dev.tenon."))
                .map(analyzer -> analyzer.analyze(failure))
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow(() -> new AssertionError("no analysis", failure));
    }
}
