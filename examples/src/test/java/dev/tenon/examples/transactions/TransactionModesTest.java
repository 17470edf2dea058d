package dev.tenon.examples.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.testkit.ForkedJvm;
import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.saga.Saga;
import dev.tenon.tx.saga.Sagas;
import dev.tenon.tx.tcc.Tcc;
import dev.tenon.tx.tcc.TccBranch;
import dev.tenon.tx.tcc.TccParticipant;
import dev.tenon.tx.tcc.TccTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What TCC and sagas promise, with the log, the business and the barrier in one database. */
class TransactionModesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final TransactionOptions QUICK =
            TransactionOptions.DEFAULT.withService("shop").withPollEvery(Duration.ofMillis(100));

    static List<ShopAddress> databases() {
        return ShopAddress.all();
    }

    @ParameterizedTest
    @MethodSource("databases")
    void reservedAndAvailableAreConstantAndNoReservationOutlivesItsTransaction(ShopAddress address) throws Exception {
        int bottles = 3;
        int customers = 6;
        try (ShopDatabase shop = address.open()) {
            BottleOfWater.createTables(shop, bottles, customers);
            AtomicBoolean over = new AtomicBoolean();
            ExecutorService threads = Executors.newFixedThreadPool(customers + 1);
            try (BottleOfWater water = new BottleOfWater(shop, QUICK)) {
                Future<Integer> watched = threads.submit(() -> watch(shop, over));
                List<Future<Boolean>> sales = new ArrayList<>();
                for (int i = 0; i < customers; i++) {
                    String order = Integer.toString(i);
                    sales.add(threads.submit(() -> bought(water, order)));
                }
                long sold = 0;
                for (Future<Boolean> sale : sales) {
                    sold += sale.get(60, TimeUnit.SECONDS) ? 1 : 0;
                }
                for (int i = 0; i < customers; i++) {
                    water.ended(Integer.toString(i));
                }
                over.set(true);
                assertThat(watched.get(30, TimeUnit.SECONDS)).isPositive();
                // The deadline settles what an initiator could not tell the log.
                assertThat(water.account("water")).isEqualTo((bottles - sold) + "+0+" + sold);
                assertThat(water.account("balance")).isEqualTo(60 * (customers - sold) + "+0+" + 60 * sold);
                assertThat(water.account("coupon")).isEqualTo(10 * (customers - sold) + "+0+" + 10 * sold);
                assertThat(sold).isLessThanOrEqualTo(bottles);
                try (Connection connection = shop.begin()) {
                    assertThat(ShopDatabase.number(connection, "SELECT COUNT(*) FROM sale"))
                            .isEqualTo(sold);
                }
            } finally {
                over.set(true);
                threads.shutdownNow();
            }
        }
    }

    private static boolean bought(BottleOfWater water, String order) throws SQLException {
        try {
            water.buy(order);
            return true;
        } catch (TransactionAbortedException e) {
            return false;
        }
    }

    /** Looks at the sums until it is told to stop; returns how often it has looked. */
    private static int watch(ShopDatabase shop, AtomicBoolean over) throws SQLException {
        int looks = 0;
        String sum = "SELECT SUM(available + reserved + spent) FROM account WHERE id <> 'water'";
        try (Connection connection = shop.begin()) {
            do {
                assertThat(ShopDatabase.number(connection, sum)).isEqualTo(600);
                connection.rollback();
                looks++;
            } while (!over.get());
        }
        return looks;
    }

    @ParameterizedTest
    @MethodSource("databases")
    void theDecisionStandsIfAndOnlyIfTheBusinessCommitDoes(ShopAddress address) throws Exception {
        try (ShopDatabase shop = address.open()) {
            BottleOfWater.createTables(shop, 5, 5);
            try (BottleOfWater water = new BottleOfWater(shop, QUICK)) {
                water.buy("1");
                assertThat(water.ended("1")).isEqualTo(TransactionState.COMMITTED);
                try (Connection connection = shop.begin()) {
                    ShopDatabase.update(connection, "INSERT INTO sale VALUES ('2')");
                    connection.commit();
                }

                assertThatThrownBy(() -> water.buy("2")).isInstanceOf(SQLException.class); // there is a sale 2 already

                assertThat(water.ended("2")).isEqualTo(TransactionState.ABORTED);
                assertThat(water.account("balance")).isEqualTo("240+0+60");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void aLocalCommitThatComesAfterTheBlockCountsAndOneThatIsRolledBackDoesNot(ShopAddress address) throws Exception {
        try (ShopDatabase shop = address.open()) {
            NamedParticipants participants = new NamedParticipants();
            try (Transactions transactions = TransactionEngine.over(shop.tenon().transactions(), participants, QUICK);
                    Tcc tcc = Tcc.over(transactions.start(), participants)) {
                tcc.register(
                        "seat", 1, TccParticipant.of(call -> Reply.done(), call -> Reply.done(), call -> Reply.done()));
                for (boolean commits : new boolean[] {true, false}) {
                    TransactionId gid = new TransactionId("seat-" + commits);
                    try (Connection connection = shop.begin()) {
                        try (TccTransaction tx = tcc.begin(gid, TccBranch.of("seat", "7A"))) {
                            tx.commit(connection);
                        }
                        if (commits) {
                            connection.commit();
                        } else {
                            connection.rollback();
                        }
                    }
                    assertThat(transactions.await(gid, PATIENCE).state())
                            .isEqualTo(commits ? TransactionState.COMMITTED : TransactionState.ABORTED);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void chainedTheNextOneBeginsWithTheDecisionOrNotAtAll(ShopAddress address) throws Exception {
        try (ShopDatabase shop = address.open()) {
            NamedParticipants participants = new NamedParticipants();
            try (Transactions transactions = TransactionEngine.over(shop.tenon().transactions(), participants, QUICK);
                    Tcc tcc = Tcc.over(transactions, participants)) {
                Sagas sagas = Sagas.over(transactions, participants)
                        .register(Saga.named("next", 1)
                                .step("only", call -> Reply.done())
                                .build());
                transactions.start();
                for (boolean commits : new boolean[] {true, false}) {
                    TransactionId first = new TransactionId("first-" + commits);
                    TransactionId saga = new TransactionId("saga-" + commits);
                    TransactionId next = new TransactionId("next-" + commits);
                    try (Connection connection = shop.begin();
                            TccTransaction tx = tcc.begin(first)) {
                        tx.commit(connection);
                        sagas.start(connection, "next", saga, "{}");
                        try (TccTransaction chained = tcc.open(connection, next, Tcc.DEADLINE)) {
                            if (commits) {
                                connection.commit();
                                chained.tryAll();
                                chained.commit();
                            } else {
                                connection.rollback();
                            }
                        }
                    }
                    assertThat(transactions.await(first, PATIENCE).state())
                            .isEqualTo(commits ? TransactionState.COMMITTED : TransactionState.ABORTED);
                    assertThat(transactions.find(saga).isPresent()).isEqualTo(commits);
                    assertThat(transactions.find(next).isPresent()).isEqualTo(commits);
                    if (commits) {
                        assertThat(transactions.await(saga, PATIENCE).state()).isEqualTo(TransactionState.COMMITTED);
                        assertThat(transactions.await(next, PATIENCE).state()).isEqualTo(TransactionState.COMMITTED);
                    }
                }
            }
        }
    }

    @Test
    void aSagaWhoseProcessIsKilledAfterAStepGoesOnInAnotherAndDoesEachStepOnce() throws Exception {
        assertGoesOn(ShopAddress.postgres(), KilledSaga.End.AFTER_COMMIT);
    }

    @Test
    void aSagaWhoseProcessIsKilledWithinAStepGoesOnInAnotherAndDoesEachStepOnce() throws Exception {
        assertGoesOn(ShopAddress.mariaDb(), KilledSaga.End.BEFORE_COMMIT);
    }

    private static void assertGoesOn(ShopAddress address, KilledSaga.End end) throws Exception {
        try (ShopDatabase shop = address.open()) {
            KilledSaga.createTables(shop);
            try (ForkedJvm process =
                    ForkedJvm.start(KilledSaga.class, address.url(), address.user(), address.password(), end.name())) {
                assertThat(process.awaitExit(PATIENCE)).as(process::errors).isEqualTo(9);
            }
            try (KilledSaga other = new KilledSaga(shop, KilledSaga.End.NEVER)) {
                other.transactions.requireParticipants().start();
                assertThat(other.transactions.await(KilledSaga.GID, PATIENCE).state())
                        .isEqualTo(TransactionState.COMMITTED);
            }
            try (Connection connection = shop.begin()) {
                for (String step : new String[] {"one", "two", "three"}) {
                    assertThat(ShopDatabase.number(connection, "SELECT n FROM counter WHERE id = ?", step))
                            .as(step)
                            .isEqualTo(1);
                }
            }
        }
    }
}
