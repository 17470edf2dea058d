package dev.tenon.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.tenon.LeaseLostException;
import dev.tenon.TenonException;
import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.lock.Lease;
import dev.tenon.lock.LockTimeoutException;
import dev.tenon.lock.Locks;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Methods under locks and in transactions, on a PostgreSQL. */
class LockedTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static SqlAddress database;
    private static ConfigurableApplicationContext context;
    private static Account account;
    private static Locks locks;
    private static JdbcTemplate jdbc;

    @BeforeAll
    static void start() {
        database = PostgresServer.shared();
        context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.main.banner-mode=off",
                        "tenon.backend=jdbc",
                        "tenon.locks.wait-at-most=20s",
                        "short.wait=50ms",
                        "spring.datasource.url=" + database.url(),
                        "spring.datasource.username=" + database.user(),
                        "spring.datasource.password=" + database.password())
                .run();
        account = context.getBean(Account.class);
        locks = context.getBean(Locks.class);
        jdbc = context.getBean(JdbcTemplate.class);
        jdbc.execute("create table account (name varchar(20) primary key, balance bigint not null)");
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    @Test
    void theMethodRunsUnderItsLock() {
        account.run("plain", () -> {
            assertThat(holders("account:plain")).isEqualTo(1);
            assertThat(context.getBean(CurrentLease.class).lease().name()).isEqualTo("account:plain");
            assertThat(context.getBean(CurrentLease.class).token()).isPositive();
        });
        assertThat(holders("account:plain")).isZero();
        assertThatThrownBy(() -> context.getBean(CurrentLease.class).lease()).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void whatTheMethodThrowsComesThroughAndFreesTheLock() {
        IllegalStateException mistake = new IllegalStateException("a mistake");
        assertThatThrownBy(() -> account.run("broken", () -> {
                    throw mistake;
                }))
                .isSameAs(mistake);
        assertThat(holders("account:broken")).isZero();
    }

    @Test
    void withoutItsLockTheMethodDoesNotRun() throws InterruptedException {
        AtomicInteger ran = new AtomicInteger();
        try (Lease held = locks.lock("account:taken").acquire(PATIENCE)) {
            assertThatThrownBy(() -> account.runAtOnce("taken", ran::incrementAndGet))
                    .isInstanceOf(LockTimeoutException.class)
                    .hasMessageContaining("has not run");
            assertThatThrownBy(() -> account.runSoon("taken", ran::incrementAndGet))
                    .isInstanceOf(LockTimeoutException.class);
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> account.run("taken", ran::incrementAndGet))
                    .isExactlyInstanceOf(TenonException.class)
                    .hasMessageContaining("has not run");
            assertThat(Thread.interrupted()).isTrue();
            assertThat(held.state()).isEqualTo(Lease.State.HELD);
        }
        assertThat(ran).hasValue(0);
        account.runAtOnce("taken", ran::incrementAndGet);
        assertThat(ran).hasValue(1);
    }

    @Test
    void aKeyWithoutAValueIsRefused() {
        AtomicInteger ran = new AtomicInteger();
        assertThatThrownBy(() -> account.keyed(null, ran::incrementAndGet))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("null");
        assertThatThrownBy(() -> account.keyed(new Object(), ran::incrementAndGet))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no text of its own");
        assertThatThrownBy(() -> account.keyed(new int[] {1}, ran::incrementAndGet))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> account.keyed("", ran::incrementAndGet)).isInstanceOf(IllegalArgumentException.class);
        assertThat(ran).hasValue(0);
        account.keyed(17, () -> assertThat(holders("17")).isEqualTo(1));
    }

    @Test
    void theThreadThatHoldsItGoesOnUnderIt() {
        account.run("again", () -> {
            long token = context.getBean(CurrentLease.class).token();
            account.runAtOnce(
                    "again",
                    () -> assertThat(context.getBean(CurrentLease.class).token())
                            .isEqualTo(token));
            assertThat(holders("account:again")).isEqualTo(1);
            CompletableFuture<Void> other = CompletableFuture.runAsync(() -> account.runAtOnce("again", () -> {}));
            assertThatThrownBy(other::join).hasCauseInstanceOf(LockTimeoutException.class);
        });
    }

    /**
     * A commit that waits until another thread wants the lock: if it came after the unlock, that one would get ahead of
     * it.
     */
    @Test
    void theTransactionOfTheMethodIsCommittedBeforeTheUnlock() throws Exception {
        jdbc.update("insert into account values ('inner', 0)");
        AtomicInteger read = new AtomicInteger();
        assertCommittedFirst("inner", read, () -> account.add("inner", 1, slowCommit("inner", read)));
    }

    @Test
    void theTransactionRoundTheMethodIsCommittedBeforeTheUnlock() throws Exception {
        jdbc.update("insert into account values ('outer', 0)");
        Caller caller = context.getBean(Caller.class);
        AtomicInteger read = new AtomicInteger();
        assertCommittedFirst("outer", read, () -> caller.addInside("outer", slowCommit("outer", read)));
    }

    @Test
    void aTransactionRoundTheMethodThatIsRolledBackFreesTheLock() {
        jdbc.update("insert into account values ('rolled', 0)");
        Caller caller = context.getBean(Caller.class);
        assertThatThrownBy(() -> caller.addAndFail(
                        "rolled", () -> assertThat(holders("account:rolled")).isEqualTo(1)))
                .hasMessage("after the method");
        assertThat(holders("account:rolled")).isZero();
        assertThat(balance("rolled")).isZero();
    }

    @Test
    void aLeaseThatIsLostStopsTheCommit() {
        jdbc.update("insert into account values ('lost', 0)");
        Throwable failure = catchThrowable(() -> account.add("lost", 1, () -> loseLease("account:lost")));
        assertThat(failure).isInstanceOf(LeaseLostException.class).hasMessageContaining("rolled back");
        assertThat(balance("lost")).isZero();
        account.add("lost", 1, () -> {});
        assertThat(balance("lost")).isEqualTo(1);
    }

    @Test
    void aLeaseThatIsLostStopsTheCommitOfTheTransactionRoundTheMethod() {
        jdbc.update("insert into account values ('lost2', 0)");
        Caller caller = context.getBean(Caller.class);
        assertThatThrownBy(() -> caller.addThen("lost2", () -> loseLease("account:lost2")))
                .isInstanceOf(LeaseLostException.class);
        assertThat(balance("lost2")).isZero();
    }

    @Test
    void aLeaseThatIsLostIsReportedWithoutATransaction() {
        assertThatThrownBy(() -> account.run("gone", () -> loseLease("account:gone")))
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("has run");
        RuntimeException mistake = new RuntimeException("a mistake");
        assertThatThrownBy(() -> account.run("gone", () -> {
                    loseLease("account:gone");
                    throw mistake;
                }))
                .isSameAs(mistake)
                .satisfies(thrown ->
                        assertThat(thrown.getSuppressed()).hasAtLeastOneElementOfType(LeaseLostException.class));
        AtomicInteger ran = new AtomicInteger();
        assertThatThrownBy(() -> account.run("gone", () -> {
                    loseLease("account:gone");
                    account.run("gone", ran::incrementAndGet);
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(ran).hasValue(0);
    }

    @Test
    void lostLocksAreCounted() {
        HeldLocks held = context.getBean(HeldLocks.class);
        long before = held.lost();
        catchThrowable(() -> account.run("counted", () -> {
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(held.list())
                            .extracting(HeldLocks.Held::name)
                            .contains("account:counted"));
            loseLease("account:counted");
        }));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(held.lost()).isGreaterThan(before));
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(held.list()).extracting(HeldLocks.Held::name).doesNotContain("account:counted"));
    }

    @Test
    void noUpdateIsLost() throws Exception {
        jdbc.update("insert into account values ('sum', 0)");
        List<CompletableFuture<Void>> threads = java.util.stream.IntStream.range(0, 4)
                .mapToObj(thread -> CompletableFuture.runAsync(() -> {
                    for (int i = 0; i < 10; i++) {
                        account.add("sum", 1, () -> {});
                    }
                }))
                .toList();
        CompletableFuture.allOf(threads.toArray(CompletableFuture<?>[]::new)).get(60, TimeUnit.SECONDS);
        assertThat(balance("sum")).isEqualTo(40);
    }

    @Test
    void waitingAndRunningAreObserved() {
        TestObservationRegistry observed = context.getBean(TestObservationRegistry.class);
        account.run("observed", () -> {});
        for (String name : List.of("tenon.locked.wait", "tenon.locked.run")) {
            assertThat(observed)
                    .satisfies(
                            registry -> io.micrometer.observation.tck.TestObservationRegistryAssert.assertThat(registry)
                                    .hasAnObservation(one -> one.hasNameEqualTo(name)
                                            .hasLowCardinalityKeyValue("method", "Account.run")
                                            .hasHighCardinalityKeyValue("lock", "account:observed")));
        }
    }

    private static void assertCommittedFirst(String name, AtomicInteger read, Runnable writing) throws Exception {
        CompletableFuture<Void> writer = CompletableFuture.runAsync(writing);
        await().atMost(PATIENCE).until(() -> holders("account:" + name) == 1);
        // Of another process, which waits in the store: threads of one process wait among themselves.
        try (Locks other = Locks.over(context.getBean(JdbcBackend.class).lockStore());
                Lease next = other.lock("account:" + name).acquire(PATIENCE)) {
            assertThat(balance(name))
                    .as("what the next holder reads, with %s", next)
                    .isEqualTo(1);
            read.incrementAndGet();
        }
        writer.get(60, TimeUnit.SECONDS);
        assertThat(holders("account:" + name)).isZero();
    }

    /** Ends when the next one waits in the store, or has the lock by mistake. */
    private static Runnable slowCommit(String name, AtomicInteger read) {
        return () -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                await().atMost(PATIENCE)
                        .until(() -> locks.inspect("account:" + name)
                                        .map(view -> !view.queue().isEmpty())
                                        .orElse(false)
                                || read.get() > 0);
            }
        });
    }

    /**
     * Takes the lock away, and has the holder ask for something that only a holder gets: so it knows, and not at its
     * next renewal.
     */
    private static void loseLease(String name) {
        Lease lease = context.getBean(CurrentLease.class).lease();
        assertThat(locks.evict(
                        name,
                        locks.inspect(name).orElseThrow().holder().orElseThrow().token(),
                        "a test"))
                .isPresent();
        assertThatThrownBy(() -> locks.readWriteLock(name).downgradeToRead(lease))
                .isInstanceOf(LeaseLostException.class);
        assertThat(lease.state()).isEqualTo(Lease.State.LOST);
    }

    private static int holders(String name) {
        return locks.inspect(name).map(view -> view.holders().size()).orElse(0);
    }

    private static long balance(String name) {
        return jdbc.queryForObject("select balance from account where name = ?", Long.class, name);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Account.class, Caller.class})
    static class Application {
        @Bean
        ObservationRegistry observations() {
            return TestObservationRegistry.create();
        }
    }

    static class Account {
        private final JdbcTemplate rows;

        Account(JdbcTemplate rows) {
            this.rows = rows;
        }

        @Locked(key = "'account:' + #name")
        public void run(String name, Runnable step) {
            step.run();
        }

        @Locked(key = "'account:' + #p0", waitAtMost = "0s")
        public void runAtOnce(String name, Runnable step) {
            step.run();
        }

        @Locked(key = "'account:' + #name", waitAtMost = "${short.wait}")
        public void runSoon(String name, Runnable step) {
            step.run();
        }

        @Locked(key = "#key")
        public void keyed(Object key, Runnable step) {
            step.run();
        }

        @Transactional
        @Locked(key = "'account:' + #name")
        public void add(String name, long amount, Runnable then) {
            long before = rows.queryForObject("select balance from account where name = ?", Long.class, name);
            rows.update("update account set balance = ? where name = ?", before + amount, name);
            then.run();
        }
    }

    static class Caller {
        private final Account account;

        Caller(Account account) {
            this.account = account;
        }

        @Transactional
        public void addInside(String name, Runnable then) {
            account.add(name, 1, then);
        }

        @Transactional
        public void addThen(String name, Runnable then) {
            account.add(name, 1, () -> {});
            then.run();
        }

        @Transactional(propagation = Propagation.REQUIRED)
        public void addAndFail(String name, Runnable then) {
            account.add(name, 1, () -> {});
            then.run();
            throw new IllegalStateException("after the method");
        }
    }
}
