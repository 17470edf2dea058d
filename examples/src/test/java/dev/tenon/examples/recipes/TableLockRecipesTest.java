package dev.tenon.examples.recipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.jdbc.JdbcFence;
import dev.tenon.lock.Lease;
import dev.tenon.lock.LockOptions;
import dev.tenon.lock.StaleTokenException;
import dev.tenon.lock.ThreadOwnedLock;
import dev.tenon.testkit.ForkedJvm;
import dev.tenon.testkit.SqlAddress;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The lock tables: what they do, what goes wrong with them, and that Tenon's lock does not have that fault. */
class TableLockRecipesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration HOUR = Duration.ofHours(1);

    private static List<RecipeDatabase> databases;

    private final String name = UUID.randomUUID().toString();

    @BeforeAll
    static void prepare() throws SQLException {
        databases = RecipeDatabase.all();
    }

    @AfterAll
    static void disconnect() {
        databases.forEach(RecipeDatabase::disconnect);
    }

    static List<RecipeDatabase> databases() {
        return databases;
    }

    @ParameterizedTest
    @MethodSource("databases")
    void thePlainLockIsNotReentrantAndDoesNotWait(RecipeDatabase database) throws Exception {
        try (Connection one = database.connect();
                Connection other = database.connect()) {
            MethodLock plain = new MethodLock(one);
            assertThat(plain.tryLock(name)).isTrue();
            assertThat(plain.tryLock(name)).as("again, by its holder").isFalse();
            assertThat(new MethodLock(other).tryLock(name)).as("at once").isFalse();
            plain.unlock(name);
            assertThat(new MethodLock(other).tryLock(name)).isTrue();

            ThreadOwnedLock lock = database.here().lock(name).asJavaLock();
            lock.lock();
            assertThat(lock.tryLock()).isTrue();
            lock.unlock();
            CompletableFuture<Lease> waiter =
                    database.there().lock(name).acquireAsync(PATIENCE).toCompletableFuture();
            assertThat(waiter).isNotDone();
            lock.unlock();
            waiter.get(30, TimeUnit.SECONDS).close();
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void thePlainLockIsDeletedByAnybody(RecipeDatabase database) throws Exception {
        try (Connection connection = database.connect()) {
            MethodLock first = new MethodLock(connection);
            MethodLock second = new MethodLock(connection);
            assertThat(first.tryLock(name)).isTrue();
            second.unlock(name); // in its finally block, though it never had it
            assertThat(second.tryLock(name)).as("two have it").isTrue();

            Lease before = database.here().lock(name).acquire(PATIENCE);
            before.close();
            Lease held = database.there().lock(name).acquire(PATIENCE);
            before.close();
            assertThat(database.here().lock(name).tryAcquire()).isEmpty();
            assertThat(database.here().validate(name, held.token())).isTrue();
        }
    }

    @Test
    void thePlainLockOfAKilledHolderIsHeldForEver() throws Exception {
        RecipeDatabase database = databases.get(1);
        SqlAddress address = database.address();
        try (ForkedJvm holder = ForkedJvm.start(KilledHolder.class, address.url(), address.user(), address.password());
                Connection connection = database.connect()) {
            assertThat(holder.nextLine(Duration.ofSeconds(60))).isEqualTo("true true");
            holder.kill();
            database.here().lock(KilledHolder.TENON).acquire(PATIENCE).close();
            assertThat(new MethodLock(connection).tryLock(KilledHolder.PLAIN))
                    .as("nothing in the row tells that its owner is dead")
                    .isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void theFullLockCountsWaitsAndIsItsOwners(RecipeDatabase database) throws Exception {
        try (Connection one = database.connect();
                Connection two = database.connect()) {
            ResourceLock mine = new ResourceLock(one, "mine", HOUR);
            ResourceLock yours = new ResourceLock(two, "yours", HOUR);
            assertThat(mine.tryLock(name)).isTrue();
            assertThat(mine.tryLock(name)).isTrue();
            assertThat(yours.tryLock(name)).isFalse();
            assertThat(yours.tryLock(name, Duration.ofMillis(30))).isFalse();
            assertThat(yours.unlock(name)).isFalse();
            assertThat(mine.unlock(name)).isTrue();
            assertThat(yours.tryLock(name)).as("still once").isFalse();
            CompletableFuture<Boolean> waiter = CompletableFuture.supplyAsync(() -> {
                try {
                    return yours.tryLock(name, PATIENCE);
                } catch (SQLException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            assertThat(mine.unlock(name)).isTrue();
            assertThat(waiter.get(60, TimeUnit.SECONDS)).isTrue();
            assertThat(mine.unlock(name)).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void theFullLockEndsUnlessTheWatchdogRenewsItAndOneTakesItOver(RecipeDatabase database) throws Exception {
        try (Connection connection = database.connect()) {
            ResourceLock brief = new ResourceLock(connection, name, Duration.ofMillis(1));
            ResourceLock renewing = new ResourceLock(connection, "renewing" + name, HOUR);
            ResourceLock other = new ResourceLock(connection, "other" + name, HOUR);
            assertThat(renewing.tryLock(name)).isTrue();
            assertThat(renewing.renewOnce()).isEqualTo(1);
            assertThat(brief.tryLock("b" + name)).isTrue();
            awaitExpired(brief, "b" + name);
            assertThat(brief.renewOnce()).as("too late").isZero();
            int seen = brief.expiredVersion("b" + name, brief.now()).getAsInt();
            assertThat(renewing.takeOver("b" + name, seen, renewing.now())).isTrue();
            assertThat(other.takeOver("b" + name, seen, other.now()))
                    .as("it saw the same row")
                    .isFalse();
            assertThat(brief.unlock("b" + name)).isFalse();

            assertThat(brief.tryLock("c" + name)).isTrue();
            awaitExpired(brief, "c" + name);
            assertThat(other.cleanOnce()).isPositive();
            assertThat(brief.unlock("c" + name)).as("cleaned away").isFalse();
            assertThat(other.tryLock(name)).as("renewed, so not cleaned away").isFalse();
        }
    }

    private static void awaitExpired(ResourceLock lock, String resource) {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> lock.expiredVersion(resource, lock.now()).isPresent());
    }

    @ParameterizedTest
    @MethodSource("databases")
    void theFullLockLetsAPausedHolderOverwriteTheNextOnesWork(RecipeDatabase database) throws Exception {
        LockOptions brief =
                LockOptions.DEFAULT.withLease(Duration.ofMillis(200)).withoutRenewal();
        try (Connection connection = database.connect()) {
            OptimisticStock stock = new OptimisticStock(connection);
            RowLock write = new RowLock(connection);
            ResourceLock paused = new ResourceLock(connection, "paused", Duration.ofMillis(1));
            ResourceLock next = new ResourceLock(connection, "next", HOUR);
            assertThat(paused.tryLock(name)).isTrue();
            int read = stock.read(10).left();
            assertThat(next.tryLock(name, PATIENCE)).isTrue();
            write.save(10, stock.read(10).left() - 1);
            write.save(10, read - 1);
            assertThat(stock.read(10).left()).as("two were sold").isEqualTo(read - 1);
            assertThat(paused.unlock(name)).as("it learns of it afterwards").isFalse();

            JdbcFence fence = database.tenon().fence();
            connection.setAutoCommit(false);
            Lease old = database.here().lock(name, brief).acquire(PATIENCE);
            Lease current = database.there().lock(name).acquire(PATIENCE);
            fence.check(connection, name, current.token());
            write.save(20, 9);
            connection.commit();
            assertThat(old.state()).isEqualTo(Lease.State.LOST);
            assertThatThrownBy(() -> fence.check(connection, name, old.token()))
                    .isInstanceOf(StaleTokenException.class);
            connection.rollback();
        }
    }
}
