package dev.tenon.examples;

import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.jdbc.JdbcFence;
import dev.tenon.lock.Lease;
import dev.tenon.lock.LockOptions;
import dev.tenon.lock.StaleTokenException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/**
 * A holder that is paused past its lease is refused by the database, an H2 in memory. Two backends stand for two
 * processes: the first one does nothing while the second one waits for the lock, gets it and sells, as in a long pause
 * of its JVM.
 */
public final class FencedWrites {
    private static final String DATABASE = "jdbc:h2:mem:shelf;DB_CLOSE_DELAY=-1";
    private static final String ITEM = "stock:42";

    private FencedWrites() {}

    /** Runs the example. */
    public static void main(String[] args) throws SQLException, InterruptedException {
        try (JdbcBackend one = JdbcBackend.connect(DATABASE);
                JdbcBackend other = JdbcBackend.connect(DATABASE);
                Connection connection = DriverManager.getConnection(DATABASE)) {
            connection
                    .createStatement()
                    .execute("CREATE TABLE stock (id VARCHAR(100) PRIMARY KEY, n BIGINT, token BIGINT NOT NULL)");
            connection.createStatement().execute("INSERT INTO stock VALUES ('stock:42', 10, 0)");
            connection.setAutoCommit(false);
            JdbcFence fence = one.fence(); // once, when the application starts

            LockOptions brief =
                    LockOptions.DEFAULT.withLease(Duration.ofMillis(500)).withoutRenewal();
            Lease paused = one.locks().lock(ITEM, brief).acquire(Duration.ofSeconds(5));

            // Now a long garbage collection: the next one has the lock as soon as the lease is over.
            try (Lease lease = other.locks().lock(ITEM).acquire(Duration.ofSeconds(30))) {
                sell(connection, fence, lease.token());
            }

            try {
                sell(connection, fence, paused.token()); // the first one goes on where it was
            } catch (StaleTokenException e) {
                connection.rollback();
                System.out.println("Refused: a later holder has been there");
            }
            boolean sold = sellByColumn(connection, paused.token());
            connection.commit();
            System.out.println("The guarded column lets an old token sell: " + sold);
            paused.close(); // nothing: it was lost
        }
    }

    // tag::sell[]
    private static void sell(Connection connection, JdbcFence fence, long token) throws SQLException {
        fence.check(connection, ITEM, token); // StaleTokenException: roll back, and don't try again
        long left = stock(connection) - 1; // read after the check: nobody with an older token writes any more
        write(connection, left, token);
        connection.commit();
        System.out.println("Sold; " + left + " left");
    }
    // end::sell[]

    // tag::column[]
    /** False: another holder, with a greater token, has been there. */
    private static boolean sellByColumn(Connection connection, long token) throws SQLException {
        String guarded = "UPDATE stock SET n = n - 1, token = ? WHERE id = ? AND token <= ?";
        try (PreparedStatement statement = connection.prepareStatement(guarded)) {
            statement.setLong(1, token);
            statement.setString(2, ITEM);
            statement.setLong(3, token);
            return statement.executeUpdate() == 1;
        }
    }
    // end::column[]

    private static void write(Connection connection, long left, long token) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("UPDATE stock SET n = ?, token = ? WHERE id = ?")) {
            statement.setLong(1, left);
            statement.setLong(2, token);
            statement.setString(3, ITEM);
            statement.executeUpdate();
        }
    }

    private static long stock(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT n FROM stock WHERE id = ?")) {
            statement.setString(1, ITEM);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }
}
