package dev.tenon.examples;

import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.at.AtResource;
import dev.tenon.tx.at.AtTransaction;
import dev.tenon.tx.at.AtTransactions;
import dev.tenon.tx.engine.TransactionEngine;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;

/** Plain SQL in two databases, undone by itself when the customer can't pay. */
public final class AutomaticUndo {
    private AutomaticUndo() {}

    /** Runs it on two databases in memory. */
    public static void main(String[] args) throws Exception {
        DataSource orders = database("orders", "CREATE TABLE orders (id INT PRIMARY KEY, goods VARCHAR(20))");
        DataSource stock = database("stock", "CREATE TABLE stock (goods VARCHAR(20) PRIMARY KEY, pieces INT)");
        run(stock, "INSERT INTO stock VALUES ('water', 10)");
        try (JdbcBackend ordersBackend = JdbcBackend.over(orders);
                JdbcBackend stockBackend = JdbcBackend.over(stock)) {
            // tag::setup[]
            Map<String, AtResource> databases =
                    Map.of("orders", ordersBackend.autoUndo(orders), "stock", stockBackend.autoUndo(stock));
            Transactions transactions = TransactionEngine.over(
                            ordersBackend.transactions(),
                            AtTransactions.participants(databases),
                            TransactionOptions.DEFAULT.withService("shop"))
                    .start();
            AtTransactions at = AtTransactions.over(transactions, databases);
            // end::setup[]
            buy(transactions, at, 1, true);
            System.out.println("Paid: " + count(orders, stock));
            buy(transactions, at, 2, false);
            System.out.println("Not paid: " + count(orders, stock));
            transactions.close();
        }
    }

    private static void buy(Transactions transactions, AtTransactions at, int order, boolean paid) throws Exception {
        TransactionId gid;
        // tag::use[]
        try (AtTransaction tx = at.begin(Duration.ofSeconds(10))) {
            gid = tx.gid();
            update(tx.connection("orders"), "INSERT INTO orders (id, goods) VALUES (" + order + ", 'water')");
            Connection stock = tx.connection("stock");
            update(stock, "UPDATE stock SET pieces = pieces - 1 WHERE goods = 'water'");
            stock.commit(); // others see 9 from here on
            if (paid) {
                tx.commit();
            }
        } // not committed: both are put back
        // end::use[]
        transactions.await(gid, Duration.ofSeconds(10));
    }

    private static void update(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    private static DataSource database(String name, String table) throws SQLException {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL("jdbc:h2:mem:undo-" + name + ";DB_CLOSE_DELAY=-1");
        run(source, table);
        return source;
    }

    private static void run(DataSource source, String sql) throws SQLException {
        try (Connection connection = source.getConnection()) {
            update(connection, sql);
        }
    }

    private static String count(DataSource orders, DataSource stock) throws SQLException {
        return one(orders, "SELECT COUNT(*) FROM orders") + " orders, " + one(stock, "SELECT SUM(pieces) FROM stock")
                + " pieces";
    }

    private static int one(DataSource source, String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getInt(1);
        }
    }
}
