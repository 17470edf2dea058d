package dev.tenon.examples.handwritten;

import static dev.tenon.examples.transactions.ShopDatabase.number;
import static dev.tenon.examples.transactions.ShopDatabase.update;

import dev.tenon.examples.transactions.ShopDatabase;
import dev.tenon.lock.Lease;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An order that is paid with an account, coins and a coupon, without Tenon's transactions: the order's row says how far
 * it is, each resource has its {@code transaction_record}, and a job, which one process at a time runs, gives back what
 * is left over.
 */
public final class HandWrittenOrders {
    /** How far an order is. */
    public enum State {
        NEW,
        PAID,
        CANCELLING,
        CANCELLED,
        /** Cancelling has failed too often: somebody has to look (dead letter). */
        DEAD
    }

    /** What an order is paid with. */
    public record Price(int yuan, int coins, int coupons) {}

    private static final int ATTEMPTS_MAX = 5;

    private final ShopDatabase shop;
    private final List<Resource> resources;

    /** Orders on a database that has {@link #createTables}. */
    public HandWrittenOrders(ShopDatabase shop) {
        this.shop = shop;
        this.resources =
                List.of(resource(shop, "account", "yuan"), resource(shop, "coin", "n"), resource(shop, "coupon", "n"));
    }

    private static Resource resource(ShopDatabase shop, String table, String column) {
        String set = "UPDATE " + table + " SET " + column + " = " + column;
        return new Resource(
                shop, table, set + " - ? WHERE user_id = ? AND " + column + " >= ?", set + " + ? WHERE user_id = ?");
    }

    /** Makes the tables, with 100 yuan, 50 coins and 1 coupon of user 1. */
    public static void createTables(ShopDatabase shop) throws SQLException {
        try (Connection connection = shop.begin()) {
            update(
                    connection,
                    "CREATE TABLE orders (id VARCHAR(40) PRIMARY KEY, user_id INT NOT NULL, state VARCHAR(10) NOT NULL,"
                            + " attempts INT NOT NULL)");
            update(
                    connection,
                    "CREATE TABLE transaction_record (orderId VARCHAR(40) NOT NULL, op_total INT NOT NULL,"
                            + " status SMALLINT NOT NULL, resource_id VARCHAR(20) NOT NULL, user_id INT NOT NULL,"
                            + " PRIMARY KEY (orderId, resource_id))");
            update(connection, "CREATE TABLE account (user_id INT PRIMARY KEY, yuan INT NOT NULL)");
            update(connection, "CREATE TABLE coin (user_id INT PRIMARY KEY, n INT NOT NULL)");
            update(connection, "CREATE TABLE coupon (user_id INT PRIMARY KEY, n INT NOT NULL)");
            update(connection, "INSERT INTO account VALUES (1, 100)");
            update(connection, "INSERT INTO coin VALUES (1, 50)");
            update(connection, "INSERT INTO coupon VALUES (1, 1)");
            connection.commit();
        }
    }

    // tag::order[]
    /** Takes an order; false: something was not enough, and nothing is taken. */
    public boolean order(String order, int user, Price price) throws SQLException {
        create(order, user);
        boolean paid = pay(order, user, price) && move(order, State.NEW, State.PAID);
        if (!paid) {
            move(order, State.NEW, State.CANCELLING); // or the job was faster
            cancel(order);
        }
        return paid;
    }
    // end::order[]

    /** Writes the row of an order. */
    void create(String order, int user) throws SQLException {
        try (Connection connection = shop.begin()) {
            update(connection, "INSERT INTO orders VALUES (?, ?, 'NEW', 0)", order, user);
            connection.commit();
        }
    }

    /** Pays with each resource; false at the first that is not enough. */
    boolean pay(String order, int user, Price price) throws SQLException {
        int[] totals = {price.yuan(), price.coins(), price.coupons()};
        for (int i = 0; i < totals.length; i++) {
            if (!resources.get(i).pay(order, user, totals[i])) {
                return false;
            }
        }
        return true;
    }

    /** Gives everything back and writes that it is; may be repeated, and done by several at once. */
    void cancel(String order) throws SQLException {
        int user;
        try (Connection connection = shop.begin()) {
            user = (int) number(connection, "SELECT user_id FROM orders WHERE id = ?", order);
        }
        for (Resource resource : resources) {
            resource.cancel(order, user);
        }
        move(order, State.CANCELLING, State.CANCELLED);
    }

    // tag::job[]
    /**
     * One pass of the job that gives back what a crash has left: whoever has the lock runs it. Call it every minute, in
     * every process.
     *
     * @return how many orders were cancelled; empty if another process is at it
     */
    public Optional<Integer> runJob() throws SQLException, InterruptedException {
        Optional<Lease> elected = shop.tenon().locks().lock("job:cancel-orders").tryAcquire();
        if (elected.isEmpty()) {
            return Optional.empty();
        }
        try (Lease lease = elected.get()) {
            int cancelled = 0;
            for (String order : leftOver()) {
                if (lease.state() != Lease.State.HELD) {
                    break; // another has taken over; what both do at once is harmless
                }
                move(order, State.NEW, State.CANCELLING);
                cancelled += retry(order) ? 1 : 0;
            }
            return Optional.of(cancelled);
        }
    }
    // end::job[]

    private boolean retry(String order) throws SQLException {
        try {
            cancel(order);
            return true;
        } catch (SQLException e) {
            try (Connection connection = shop.begin()) {
                update(connection, "UPDATE orders SET attempts = attempts + 1 WHERE id = ?", order);
                update(
                        connection,
                        "UPDATE orders SET state = 'DEAD' WHERE id = ? AND state = 'CANCELLING' AND attempts >= ?",
                        order,
                        ATTEMPTS_MAX);
                connection.commit();
            }
            return false;
        }
    }

    /** Orders that nobody works on any more; in real life: that are older than the longest payment. */
    private List<String> leftOver() throws SQLException {
        String sql = "SELECT id FROM orders WHERE state IN ('NEW', 'CANCELLING') ORDER BY id";
        List<String> orders = new ArrayList<>();
        try (Connection connection = shop.begin();
                PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                orders.add(rows.getString(1));
            }
        }
        return orders;
    }

    // tag::replay[]
    /** Takes a dead letter up again, after somebody has looked. */
    public boolean replay(String order) throws SQLException {
        return move(order, State.DEAD, State.CANCELLING);
    }
    // end::replay[]

    /** Compare and set: of those who want different states, one gets through. */
    private boolean move(String order, State from, State to) throws SQLException {
        try (Connection connection = shop.begin()) {
            String sql = "UPDATE orders SET state = ?, attempts = 0 WHERE id = ? AND state = ?";
            boolean moved = update(connection, sql, to.name(), order, from.name()) == 1;
            connection.commit();
            return moved;
        }
    }

    /** How far an order is. */
    public State state(String order) throws SQLException {
        try (Connection connection = shop.begin();
                PreparedStatement statement = connection.prepareStatement("SELECT state FROM orders WHERE id = ?")) {
            statement.setString(1, order);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw new IllegalArgumentException("There is no order " + order);
                }
                return State.valueOf(row.getString(1));
            }
        }
    }

    /** What user 1 has: yuan, coins, coupons. */
    public String left() throws SQLException {
        try (Connection connection = shop.begin()) {
            return number(connection, "SELECT yuan FROM account") + " yuan, " + number(connection, "SELECT n FROM coin")
                    + " coins, " + number(connection, "SELECT n FROM coupon") + " coupons";
        }
    }

    /** Runs the example. */
    public static void main(String[] args) throws Exception {
        try (ShopDatabase shop = ShopDatabase.inMemory("hand-written")) {
            createTables(shop);
            HandWrittenOrders orders = new HandWrittenOrders(shop);
            System.out.println("Paid: " + orders.order("1", 1, new Price(60, 10, 1)) + "; " + orders.left());
            System.out.println("No coupon: " + orders.order("2", 1, new Price(10, 10, 1)) + "; " + orders.left());

            orders.create("3", 1); // its process dies half-way through paying
            boolean all = orders.pay("3", 1, new Price(10, 10, 1));
            System.out.println("Died: " + all + "; " + orders.left());
            System.out.println("The job has cancelled " + orders.runJob().orElse(0) + "; " + orders.left());
        }
    }
}
