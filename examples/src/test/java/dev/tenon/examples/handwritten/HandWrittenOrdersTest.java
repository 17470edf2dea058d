package dev.tenon.examples.handwritten;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.examples.handwritten.HandWrittenOrders.Price;
import dev.tenon.examples.handwritten.HandWrittenOrders.State;
import dev.tenon.examples.transactions.ShopAddress;
import dev.tenon.examples.transactions.ShopDatabase;
import dev.tenon.lock.Lease;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The transaction that is written by hand keeps its word too, in the cases that the field tells of. */
class HandWrittenOrdersTest {
    private static final Price PRICE = new Price(60, 10, 1);

    static List<ShopAddress> databases() {
        return ShopAddress.all();
    }

    private static ShopDatabase open(ShopAddress address) throws SQLException {
        ShopDatabase shop = address.open();
        HandWrittenOrders.createTables(shop);
        return shop;
    }

    @ParameterizedTest
    @MethodSource("databases")
    void rollbacksThatAreRepeatedAndAtTheSameTimeGiveBackOnce(ShopAddress address) throws Exception {
        try (ShopDatabase shop = open(address)) {
            HandWrittenOrders orders = new HandWrittenOrders(shop);
            orders.create("1", 1);
            assertThat(orders.pay("1", 1, PRICE)).isTrue();
            assertThat(orders.pay("1", 1, PRICE)).isTrue();
            assertThat(orders.left()).isEqualTo("40 yuan, 40 coins, 0 coupons");

            atTheSameTime(4, () -> {
                orders.cancel("1");
                return true;
            });
            orders.cancel("1");

            assertThat(orders.left()).isEqualTo("100 yuan, 50 coins, 1 coupons");
            assertThat(orders.pay("1", 1, PRICE))
                    .as("a payment that comes late")
                    .isFalse();
            assertThat(orders.left()).isEqualTo("100 yuan, 50 coins, 1 coupons");
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void aRollbackBeforeThePaymentRefusesIt(ShopAddress address) throws Exception {
        try (ShopDatabase shop = open(address)) {
            HandWrittenOrders orders = new HandWrittenOrders(shop);
            orders.create("1", 1);
            orders.cancel("1");

            assertThat(orders.pay("1", 1, PRICE)).isFalse();
            assertThat(orders.left()).isEqualTo("100 yuan, 50 coins, 1 coupons");
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void theJobGivesBackWhatACrashHasLeftAndOneProcessRunsIt(ShopAddress address) throws Exception {
        try (ShopDatabase shop = open(address);
                ShopDatabase other = address.open()) {
            HandWrittenOrders orders = new HandWrittenOrders(shop);
            assertThat(orders.order("0", 1, new Price(10, 10, 0))).isTrue();
            orders.create("1", 1);
            orders.pay("1", 1, new Price(60, 10, 2)); // the coupons are not enough, and the process dies

            try (Lease elected =
                    other.tenon().locks().lock("job:cancel-orders").tryAcquire().orElseThrow()) {
                assertThat(elected.state()).isEqualTo(Lease.State.HELD);
                assertThat(orders.runJob()).isEmpty();
            }
            assertThat(orders.runJob()).hasValue(1);
            assertThat(orders.runJob()).hasValue(0);

            assertThat(orders.state("0")).isEqualTo(State.PAID);
            assertThat(orders.state("1")).isEqualTo(State.CANCELLED);
            assertThat(orders.left()).isEqualTo("90 yuan, 40 coins, 1 coupons");
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void whatFailsTooOftenIsADeadLetterAndIsTakenUpAgain(ShopAddress address) throws Exception {
        try (ShopDatabase shop = open(address)) {
            HandWrittenOrders orders = new HandWrittenOrders(shop);
            orders.create("1", 1);
            orders.pay("1", 1, PRICE);
            rename(shop, "coin", "coin_away");
            for (int i = 0; i < 5; i++) {
                assertThat(orders.state("1")).isNotEqualTo(State.DEAD);
                assertThat(orders.runJob()).hasValue(0);
            }
            assertThat(orders.state("1")).isEqualTo(State.DEAD);

            rename(shop, "coin_away", "coin");
            assertThat(orders.runJob()).hasValue(0);
            assertThat(orders.replay("1")).isTrue();
            assertThat(orders.runJob()).hasValue(1);

            assertThat(orders.state("1")).isEqualTo(State.CANCELLED);
            assertThat(orders.left()).isEqualTo("100 yuan, 50 coins, 1 coupons");
        }
    }

    private static void rename(ShopDatabase shop, String from, String to) throws Exception {
        try (Connection connection = shop.begin()) {
            ShopDatabase.update(connection, "ALTER TABLE " + from + " RENAME TO " + to);
            connection.commit();
        }
    }

    private static void atTheSameTime(int count, Callable<Boolean> work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(count);
        try {
            List<Future<Boolean>> all = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                all.add(threads.submit(work));
            }
            for (Future<Boolean> one : all) {
                one.get(30, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
