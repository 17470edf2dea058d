package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.OutcomeUnknownException;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.RecordedEvents;
import dev.tenon.testkit.SqlAddress;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A pool of the caller's whose driver waits for ever, as drivers do, and a database that falls silent. */
class SilentDatabaseTest {
    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int OWN_LIMIT_MILLIS = 10_000;

    static Stream<Named<Supplier<SqlAddress>>> databases() {
        return Stream.of(
                Named.of("MariaDB", MariaDbServer::shared),
                Named.of("MySQL", MySqlServer::shared),
                Named.of("PostgreSQL", PostgresServer::shared));
    }

    /** Gives connections out again as they came back, and notes under which limits they were used. */
    private static final class Pool {
        private final SqlAddress address;
        private final int limitMillis;
        private final ConcurrentLinkedDeque<Connection> resting = new ConcurrentLinkedDeque<>();
        private final Set<Integer> limits = ConcurrentHashMap.newKeySet();

        Pool(SqlAddress address, int limitMillis) {
            this.address = address;
            this.limitMillis = limitMillis;
        }

        DataSource source() {
            return (DataSource) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (self, method, args) -> lent());
        }

        private Connection lent() throws SQLException {
            Connection rested = resting.pollLast();
            Connection real = rested == null ? address.connect() : rested;
            if (rested == null && limitMillis > 0) {
                real.setNetworkTimeout(Runnable::run, limitMillis);
            }
            return (Connection) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Connection.class}, (self, method, args) -> {
                        if (method.getName().equals("close")) {
                            resting.addLast(real);
                            return null;
                        }
                        if (method.getName().equals("prepareStatement")) {
                            limits.add(real.getNetworkTimeout());
                        }
                        try {
                            return method.invoke(real, args);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }

        void close() throws SQLException {
            for (Connection connection : resting) {
                connection.close();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void aCallEndsThoughItsAnswerNeverComes(Supplier<SqlAddress> database) throws SQLException {
        SqlAddress at = database.get();
        try (FaultProxy proxy = FaultProxy.to(at.socket())) {
            Pool pool = new Pool(at.at(proxy.address()), 0);
            try (JdbcBackend backend = JdbcBackend.over(pool.source())) {
                String session = open(backend.lockStore());
                assertThat(join(backend.lockStore().acquire(request("before", session))))
                        .isInstanceOf(Outcome.Granted.class);
                proxy.dropReplies();
                assertThat(backend.lockStore().acquire(request("x", session)).toCompletableFuture())
                        .failsWithin(PATIENCE)
                        .withThrowableOfType(ExecutionException.class)
                        .withCauseInstanceOf(OutcomeUnknownException.class);
                proxy.heal();
            }
            pool.close();
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void theLimitGoesBeforeTheConnectionIsGivenBack(Supplier<SqlAddress> database) throws SQLException {
        Pool pool = new Pool(database.get(), 0);
        try (JdbcBackend backend = JdbcBackend.over(pool.source())) {
            use(backend);
            assertThat(pool.limits).contains(OWN_LIMIT_MILLIS).doesNotContain(0);
            assertThat(pool.resting).isNotEmpty();
            for (Connection connection : pool.resting) {
                assertThat(connection.getNetworkTimeout()).isZero();
            }
        }
        pool.close();
    }

    @ParameterizedTest
    @MethodSource("databases")
    void aLimitOfThePoolsOwnStays(Supplier<SqlAddress> database) throws SQLException {
        int limit = 2 * OWN_LIMIT_MILLIS;
        Pool pool = new Pool(database.get(), limit);
        try (JdbcBackend backend = JdbcBackend.over(pool.source())) {
            use(backend);
            assertThat(pool.limits).contains(limit).doesNotContain(0, OWN_LIMIT_MILLIS);
            for (Connection connection : pool.resting) {
                assertThat(connection.getNetworkTimeout()).isEqualTo(limit);
            }
        }
        pool.close();
    }

    private static void use(JdbcBackend backend) {
        String session = open(backend.lockStore());
        Outcome outcome = join(backend.lockStore().acquire(request("x", session)));
        join(backend.lockStore().release(List.of(new Release("x", ((Outcome.Granted) outcome).token()))));
        backend.ranges().next("n", 1);
    }

    private static Acquire request(String name, String session) {
        return new Acquire(name, session, UUID.randomUUID().toString(), "owner", Optional.of(LEASE), Duration.ZERO);
    }

    private static String open(LockStore store) {
        String id = UUID.randomUUID().toString();
        return join(store.open(new SessionSpec(id, "owner", LEASE), new RecordedEvents()))
                .id();
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
