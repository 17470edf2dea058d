package dev.tenon.examples.transactions;

import static dev.tenon.examples.transactions.ShopDatabase.number;
import static dev.tenon.examples.transactions.ShopDatabase.update;

import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.saga.Saga;
import dev.tenon.tx.saga.Sagas;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** An order as a saga: reserve the goods and a coupon at the same time, pay, ship; what can't be paid is given back. */
public final class OrderSaga implements AutoCloseable {
    private final ShopDatabase shop;
    private final Transactions transactions;
    private final Sagas sagas;

    /** The saga on a database that has {@link #createTables}. */
    public OrderSaga(ShopDatabase shop) {
        this.shop = shop;
        // tag::start[]
        NamedParticipants participants = new NamedParticipants();
        transactions = TransactionEngine.over(
                shop.tenon().transactions(), participants, TransactionOptions.DEFAULT.withService("shop"));
        sagas = Sagas.over(transactions, participants).register(definition());
        transactions.requireParticipants().start();
        // end::start[]
    }

    // tag::definition[]
    private Saga definition() {
        return Saga.named("order", 1)
                .step(
                        "stock",
                        call -> shop.once(
                                call, c -> take(c, "UPDATE goods SET n = n - 1 WHERE sku = 'water' AND n > 0")),
                        call -> shop.once(call, c -> give(c, "UPDATE goods SET n = n + 1 WHERE sku = 'water'")))
                .step(
                        "coupon",
                        call -> shop.once(call, c -> take(c, "UPDATE coupon SET used = 1 WHERE id = 1 AND used = 0")),
                        call -> shop.once(call, c -> give(c, "UPDATE coupon SET used = 0 WHERE id = 1")))
                .after() // at the same time as stock
                .step("pay", call -> shop.once(call, c -> pay(c, call.payload())))
                .after("stock", "coupon")
                .pivot() // before it the saga can turn back, after it only forward
                .step("ship", call -> Reply.done("parcel of " + call.gid()))
                .deadline(Duration.ofMinutes(10))
                .build();
    }

    private static Reply take(Connection connection, String sql) throws SQLException {
        return update(connection, sql) == 1 ? Reply.done() : Reply.refused("none left");
    }

    private static Reply give(Connection connection, String sql) throws SQLException {
        update(connection, sql);
        return Reply.done();
    }
    // end::definition[]

    private static Reply pay(Connection connection, String yuan) throws SQLException {
        long price = Long.parseLong(yuan);
        return update(connection, "UPDATE wallet SET yuan = yuan - ? WHERE id = 1 AND yuan >= ?", price, price) == 1
                ? Reply.done()
                : Reply.refused("not enough money");
    }

    /** Makes the tables: 10 bottles of water, a coupon, 100 yuan. */
    public static void createTables(ShopDatabase shop) throws SQLException {
        try (Connection connection = shop.begin()) {
            update(connection, "CREATE TABLE goods (sku VARCHAR(20) PRIMARY KEY, n INT NOT NULL)");
            update(connection, "CREATE TABLE coupon (id INT PRIMARY KEY, used INT NOT NULL)");
            update(connection, "CREATE TABLE wallet (id INT PRIMARY KEY, yuan INT NOT NULL)");
            update(connection, "CREATE TABLE orders (id VARCHAR(40) PRIMARY KEY, yuan INT NOT NULL)");
            update(connection, "INSERT INTO goods VALUES ('water', 10)");
            update(connection, "INSERT INTO coupon VALUES (1, 0)");
            update(connection, "INSERT INTO wallet VALUES (1, 100)");
            connection.commit();
        }
    }

    // tag::order[]
    /** Takes an order: its row and the start of its saga are committed together. */
    public TransactionId order(String id, int yuan) throws SQLException {
        TransactionId gid = new TransactionId("order-" + id);
        try (Connection connection = shop.begin()) {
            update(connection, "INSERT INTO orders VALUES (?, ?)", id, yuan);
            sagas.start(connection, "order", gid, Integer.toString(yuan));
            connection.commit();
        }
        transactions.hurry(gid); // or else recovery finds it within a second
        return gid;
    }
    // end::order[]

    /** Waits for the end of an order's saga. */
    public TransactionState ended(TransactionId gid) throws InterruptedException {
        return transactions.await(gid, Duration.ofSeconds(30)).state();
    }

    /** Bottles, used coupons and money. */
    public String left() throws SQLException {
        try (Connection connection = shop.begin()) {
            return number(connection, "SELECT n FROM goods") + " bottles, "
                    + number(connection, "SELECT used FROM coupon") + " coupons used, "
                    + number(connection, "SELECT yuan FROM wallet") + " yuan";
        }
    }

    /** Runs the example. */
    public static void main(String[] args) throws Exception {
        try (ShopDatabase shop = ShopDatabase.inMemory("saga")) {
            createTables(shop);
            try (OrderSaga orders = new OrderSaga(shop)) {
                System.out.println("Too dear: " + orders.ended(orders.order("1", 150)) + "; " + orders.left());
                System.out.println("Paid: " + orders.ended(orders.order("2", 90)) + "; " + orders.left());
            }
        }
    }

    @Override
    public void close() {
        transactions.close();
    }
}
