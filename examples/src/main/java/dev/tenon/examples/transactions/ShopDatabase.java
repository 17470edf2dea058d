package dev.tenon.examples.transactions;

import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.tx.Barrier;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Reply;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The database of a shop, with Tenon's tables beside those of the business. */
public final class ShopDatabase implements AutoCloseable {
    private final String url;
    private final String user;
    private final String password;
    private final JdbcBackend tenon;
    private final Barrier barrier;

    /** The database at an address. */
    public ShopDatabase(String url, String user, String password) {
        this.url = url;
        this.user = user;
        this.password = password;
        this.tenon = JdbcBackend.connect(url, user, password);
        this.barrier = tenon.barrier();
    }

    /** An H2 in the memory of this JVM. */
    public static ShopDatabase inMemory(String name) {
        return new ShopDatabase("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1", "", "");
    }

    /** Tenon on this database. */
    public JdbcBackend tenon() {
        return tenon;
    }

    /** A connection with a transaction open, as from the pool of an application. */
    public Connection begin() throws SQLException {
        Connection connection = DriverManager.getConnection(url, user, password);
        connection.setAutoCommit(false);
        return connection;
    }

    // tag::participant[]
    /** What every participant does: its work once, in its own local transaction, behind the barrier. */
    public Reply once(BranchCall call, Barrier.Work work) throws Exception {
        try (Connection connection = begin()) {
            Reply reply = barrier.call(connection, call, work);
            if (reply instanceof Reply.Done) {
                connection.commit();
            } else {
                connection.rollback();
            }
            return reply;
        }
    }
    // end::participant[]

    /** Executes statements that return no rows; returns how many rows the last one has changed. */
    public static int update(Connection connection, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            return statement.executeUpdate();
        }
    }

    /** The number that a query answers; 0 if it answers none. */
    public static long number(Connection connection, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getLong(1) : 0;
            }
        }
    }

    @Override
    public void close() {
        tenon.close();
    }
}
