package dev.tenon.examples.recipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.jdbc.JdbcFence;
import dev.tenon.lock.Lease;
import dev.tenon.lock.StaleTokenException;
import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.SqlAddress;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * {@code FOR UPDATE} and {@code version}: what they do, what goes wrong, and that Tenon's lock does not have that
 * fault.
 */
class RowLockRecipesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final long MISSING = 55;

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

    static List<RecipeDatabase> innoDb() {
        return List.of(databases.get(1), databases.get(3));
    }

    @ParameterizedTest
    @MethodSource("databases")
    void aRowIsLockedForAsLongAsTheTransactionLasts(RecipeDatabase database) throws Exception {
        try (Connection one = database.inTransactions();
                Connection two = database.inTransactions()) {
            assertThat(new RowLock(one).lock(10)).isEqualTo(10);
            assertThat(new RowLock(two).tryLock(10)).isEmpty();
            one.commit();
            assertThat(new RowLock(two).tryLock(10)).isPresent();
            two.commit();
            new RowLock(one).sell(10);
            assertThat(new OptimisticStock(two).read(10).left()).isEqualTo(9);
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void inAutocommitModeNothingIsLocked(RecipeDatabase database) throws Exception {
        try (Connection one = database.connect();
                Connection two = database.inTransactions()) {
            new RowLock(one).lock(20);
            assertThat(new RowLock(two).tryLock(20)).isPresent();

            try (Lease lease = database.here().lock(name).acquire(PATIENCE)) {
                assertThat(database.there().lock(name).tryAcquire()).isEmpty();
                assertThat(lease.state()).isEqualTo(Lease.State.HELD);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void aRowThatIsNotThereIsLockedByAll(RecipeDatabase database) throws Exception {
        try (Connection one = database.inTransactions();
                Connection two = database.inTransactions()) {
            assertThat(new RowLock(one).tryLock(MISSING)).isPresent();
            assertThat(new RowLock(two).tryLock(MISSING)).isPresent();

            try (Lease lease = database.here().lock(name).acquire(PATIENCE)) {
                assertThat(database.there().lock(name).tryAcquire())
                        .as("token %d", lease.token())
                        .isEmpty();
            }
        }
    }

    @Test
    void withoutAnIndexInnoDbLocksTheWholeTable() throws Exception {
        for (RecipeDatabase innoDb : innoDb()) {
            try (Connection one = innoDb.inTransactions();
                    Connection two = innoDb.inTransactions()) {
                assertThat(new RowLock(one).tryLockBySku("sku-20")).isPresent();
                assertThat(new RowLock(two).tryLockBySku("sku-30")).isEmpty();
                assertThat(new RowLock(two).tryLock(40)).isEmpty();

                try (Lease lease = innoDb.here().lock(name + "20").acquire(PATIENCE);
                        Lease other =
                                innoDb.here().lock(name + "30").tryAcquire().orElseThrow()) {
                    assertThat(other.token()).isNotEqualTo(lease.token());
                }
            }
        }
        try (Connection one = databases.get(2).inTransactions();
                Connection two = databases.get(2).inTransactions()) {
            assertThat(new RowLock(one).tryLockBySku("sku-20")).isPresent();
            assertThat(new RowLock(two).tryLockBySku("sku-30"))
                    .as("PostgreSQL locks what it found")
                    .isPresent();
        }
    }

    @ParameterizedTest
    @MethodSource("innoDb")
    void inInnoDbAGapIsLockedAgainstInserts(RecipeDatabase database) throws Exception {
        try (Connection one = database.inTransactions();
                Connection two = database.inTransactions();
                Statement insert = two.createStatement()) {
            new RowLock(one).lock(MISSING);
            insert.execute("SET innodb_lock_wait_timeout = 0");
            assertThatThrownBy(() -> insert.execute("INSERT INTO recipe_stock VALUES (57, 'sku-57', 10, 0)"))
                    .isInstanceOf(SQLException.class);

            try (Lease lease = database.here().lock(name + MISSING).acquire(PATIENCE)) {
                assertThat(database.here().lock(name + "57").tryAcquire())
                        .as("token %d", lease.token())
                        .isPresent();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void theLockDiesWithTheConnection(RecipeDatabase database) throws Exception {
        SqlAddress address = database.address();
        try (FaultProxy proxy = FaultProxy.to(address.socket());
                Connection other = database.inTransactions()) {
            SqlAddress way = address.at(proxy.address());
            try (JdbcBackend tenon = JdbcBackend.connect(way.url(), way.user(), way.password())) {
                Connection holder = way.connect();
                holder.setAutoCommit(false);
                new RowLock(holder).lock(60);
                Lease lease = tenon.locks().lock(name).acquire(PATIENCE);
                assertThat(new RowLock(other).tryLock(60)).isEmpty();
                proxy.cut();
                await().atMost(PATIENCE)
                        .until(() -> new RowLock(other).tryLock(60).isPresent()); // and the holder works on
                assertThat(database.there().lock(name).tryAcquire()).isEmpty();
                proxy.heal();
                lease.ensure(Duration.ofSeconds(1));
                assertThat(database.there().validate(name, lease.token())).isTrue();
            }
        }
    }

    static List<RecipeDatabase> servers() {
        return databases.subList(1, 3);
    }

    @ParameterizedTest
    @MethodSource("databases")
    void whoIsLateHasWorkedForNothing(RecipeDatabase database) throws Exception {
        try (Connection connection = database.connect()) {
            OptimisticStock stock = new OptimisticStock(connection);
            int attempts = 0;
            for (int waiting = 4; waiting > 0; waiting--) { // four work at the same time, until each has sold one
                List<OptimisticStock.Seen> seen = new ArrayList<>();
                for (int buyer = 0; buyer < waiting; buyer++) {
                    seen.add(stock.read(30));
                }
                int left = seen.get(0).left() - 1;
                assertThat(seen.stream().filter(read -> saved(stock, read, left)))
                        .hasSize(1);
                attempts += waiting;
            }
            assertThat(attempts).as("for four sales").isEqualTo(10);
            assertThatThrownBy(() -> stock.sell(30, 0)).isInstanceOf(IllegalStateException.class);

            for (int buyer = 0; buyer < 4; buyer++) {
                try (Lease lease = database.here().lock(name).acquire(PATIENCE)) {
                    assertThat(stock.sell(30, 1)).as("token %d", lease.token()).isEqualTo(1);
                }
            }
            assertThat(stock.read(30).left()).isEqualTo(2);
        }
    }

    private static boolean saved(OptimisticStock stock, OptimisticStock.Seen seen, int left) {
        try {
            return stock.save(30, seen, left);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void withoutAVersionWhatWasChangedAndChangedBackLooksUntouched(RecipeDatabase database) throws Exception {
        try (Connection connection = database.connect()) {
            OptimisticStock stock = new OptimisticStock(connection);
            OptimisticStock.Seen seen = stock.read(40);
            assertThat(stock.save(40, stock.read(40), 9)).isTrue(); // one is sold
            assertThat(stock.save(40, stock.read(40), 10)).isTrue(); // and comes back, broken
            assertThat(stock.save(40, seen, 9)).as("by version").isFalse();
            assertThat(stock.saveByValue(40, seen, 9)).as("by value").isTrue();

            JdbcFence fence = database.tenon().fence();
            Lease first = database.here().lock(name).acquire(PATIENCE);
            first.close();
            Lease second = database.here().lock(name).acquire(PATIENCE);
            second.close();
            connection.setAutoCommit(false);
            fence.check(connection, name, second.token());
            assertThatThrownBy(() -> fence.check(connection, name, first.token()))
                    .isInstanceOf(StaleTokenException.class);
            connection.rollback();
        }
    }

    @ParameterizedTest
    @MethodSource("innoDb")
    void inOneTransactionOfInnoDbTryingAgainReadsTheSameAgain(RecipeDatabase database) throws Exception {
        try (Connection one = database.inTransactions();
                Connection two = database.connect()) {
            OptimisticStock late = new OptimisticStock(one);
            late.read(50);
            new OptimisticStock(two).sell(50, 1);
            assertThatThrownBy(() -> late.sell(50, 5)).isInstanceOf(Exception.class);
            one.rollback();
            try (Lease lease = database.here().lock(name).acquire(PATIENCE)) { // first the lock, then the transaction
                assertThat(late.sell(50, 1)).as("token %d", lease.token()).isEqualTo(1);
                one.commit();
            }
        }
    }
}
