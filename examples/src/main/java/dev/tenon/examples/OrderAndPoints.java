package dev.tenon.examples;

import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import dev.tenon.tx.message.Inbox;
import dev.tenon.tx.message.MessageHandlers;
import dev.tenon.tx.message.Outbox;
import dev.tenon.tx.message.OutboxOptions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A shop and its points, each with a database: the order and its message are one transaction, and the points are given
 * once, however often the message comes.
 */
public final class OrderAndPoints {
    private static final String SHOP = "jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1";
    private static final String POINTS = "jdbc:h2:mem:points;DB_CLOSE_DELAY=-1";

    private OrderAndPoints() {}

    /** Runs the example. */
    public static void main(String[] args) throws SQLException {
        execute(SHOP, "CREATE TABLE orders (id INT PRIMARY KEY, customer VARCHAR(100), amount INT)");
        execute(POINTS, "CREATE TABLE points (customer VARCHAR(100) PRIMARY KEY, number INT)");
        execute(POINTS, "INSERT INTO points VALUES ('ann', 0)");
        try (JdbcBackend shop = JdbcBackend.connect(SHOP);
                JdbcBackend points = JdbcBackend.connect(POINTS)) {
            // tag::inbox[]
            Inbox inbox = Inbox.over(points.barrier(), "points");
            MessageHandlers handlers = MessageHandlers.none().with("points", message -> {
                try (Connection connection = DriverManager.getConnection(POINTS)) {
                    connection.setAutoCommit(false);
                    Reply reply = inbox.once(connection, message, open -> givePoints(open, message));
                    connection.commit(); // the points, and that this message has given them
                    return reply;
                }
            });
            // end::inbox[]

            try (Outbox outbox = Outbox.over(shop.outbox(), handlers, OutboxOptions.DEFAULT)) {
                // tag::outbox[]
                try (Connection connection = DriverManager.getConnection(SHOP)) {
                    connection.setAutoCommit(false);
                    insertOrder(connection, 1, "ann", 30);
                    outbox.enqueue(
                            connection,
                            Message.of("points", "order-paid/1", "30").withKey("ann"));
                    connection.commit(); // both, or neither
                }
                outbox.dispatch(); // now, and not at the next look
                // end::outbox[]

                // This process does it by hand; a service calls outbox.start() once, and nothing more.
                System.out.println("Sent: " + outbox.runOnce());
                System.out.println("Left: " + outbox.runOnce());
            }
            System.out.println("Points of ann: " + points("ann"));
        }
    }

    private static void insertOrder(Connection connection, int id, String customer, int amount) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO orders VALUES (?, ?, ?)")) {
            insert.setInt(1, id);
            insert.setString(2, customer);
            insert.setInt(3, amount);
            insert.executeUpdate();
        }
    }

    private static Reply givePoints(Connection connection, Message message) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE points SET number = number + ? WHERE customer = ?")) {
            update.setInt(1, Integer.parseInt(message.text()));
            update.setString(2, message.key().orElseThrow());
            update.executeUpdate();
        }
        return Reply.done();
    }

    private static int points(String customer) throws SQLException {
        try (Connection connection = DriverManager.getConnection(POINTS);
                PreparedStatement query = connection.prepareStatement("SELECT number FROM points WHERE customer = ?")) {
            query.setString(1, customer);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    private static void execute(String url, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
