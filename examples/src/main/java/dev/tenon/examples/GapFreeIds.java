package dev.tenon.examples;

import dev.tenon.jdbc.GapFreeSequence;
import dev.tenon.jdbc.JdbcBackend;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Invoice numbers without a gap, inside the application's own transactions, on an H2 database in memory. */
public final class GapFreeIds {
    private static final String DATABASE = "jdbc:h2:mem:invoices;DB_CLOSE_DELAY=-1";

    private GapFreeIds() {}

    /** Runs the example. */
    public static void main(String[] args) throws SQLException {
        try (JdbcBackend database = JdbcBackend.connect(DATABASE);
                Connection connection = DriverManager.getConnection(DATABASE)) {
            connection.createStatement().execute("CREATE TABLE invoice (n BIGINT PRIMARY KEY, customer VARCHAR(100))");
            // tag::gapfree[]
            GapFreeSequence invoices = database.gapFree("invoices"); // once, when the application starts
            connection.setAutoCommit(false);
            write(connection, invoices.next(connection), "Ada"); // 1
            connection.rollback(); // gives it back
            write(connection, invoices.next(connection), "Ben"); // 1 again
            connection.commit();
            // end::gapfree[]

            // tag::autoincrement[]
            database.ranges().raiseTo("invoices", 4711); // the greatest that the AUTO_INCREMENT column has issued
            // end::autoincrement[]
            write(connection, invoices.next(connection), "Cleo");
            connection.commit();
        }
    }

    private static void write(Connection connection, long number, String customer) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO invoice VALUES (?, ?)")) {
            insert.setLong(1, number);
            insert.setString(2, customer);
            insert.execute();
        }
        System.out.println("Invoice " + number + " for " + customer);
    }
}
