package dev.tenon.examples.handwritten;

import static dev.tenon.examples.transactions.ShopDatabase.number;
import static dev.tenon.examples.transactions.ShopDatabase.update;

import dev.tenon.examples.transactions.ShopDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;

/**
 * A service that an order is paid with: account, coin or coupon. Its {@code transaction_record} has one row for each
 * order, and the row is written first, so that calls that are repeated, late or at the same time do their work once.
 *
 * @param shop the database of this service
 * @param id which one
 * @param take takes a total from a user, if there is as much
 * @param give gives it back
 */
record Resource(ShopDatabase shop, String id, String take, String give) {
    private static final int PAID = 1;
    private static final int CANCELLED = 2;

    // tag::pay[]
    /** Takes the total. True if it is, or was, taken; false if there is not enough, or the order was cancelled. */
    boolean pay(String order, int user, int total) throws SQLException {
        try (Connection connection = shop.begin()) {
            if (!insert(connection, order, user, total, PAID)) {
                connection.rollback();
                return status(connection, order) == PAID; // repeated: true; come after its cancel: false, for good
            }
            boolean taken = update(connection, take, total, user, total) == 1;
            if (taken) {
                connection.commit();
            } else {
                connection.rollback();
            }
            return taken;
        }
    }
    // end::pay[]

    // tag::cancel[]
    /** Gives back what was taken, once, however often and by however many this is called. */
    void cancel(String order, int user) throws SQLException {
        try (Connection connection = shop.begin()) {
            if (insert(connection, order, user, 0, CANCELLED)) {
                connection.commit(); // nothing was taken, and nothing will be
                return;
            }
            connection.rollback();
            String once =
                    "UPDATE transaction_record SET status = 2 WHERE orderId = ? AND resource_id = ? AND status = 1";
            if (update(connection, once, order, id) == 1) { // of several at once, one gets here
                update(connection, give, total(connection, order), user);
            }
            connection.commit();
        }
    }
    // end::cancel[]

    private boolean insert(Connection connection, String order, int user, int total, int status) throws SQLException {
        String sql =
                "INSERT INTO transaction_record (orderId, op_total, status, resource_id, user_id) VALUES (?, ?, ?, ?, ?)";
        try {
            update(connection, sql, order, total, status, id, user);
            return true;
        } catch (SQLException e) {
            if (e instanceof SQLIntegrityConstraintViolationException || "23505".equals(e.getSQLState())) {
                return false;
            }
            throw e;
        }
    }

    private long status(Connection connection, String order) throws SQLException {
        return number(
                connection, "SELECT status FROM transaction_record WHERE orderId = ? AND resource_id = ?", order, id);
    }

    private int total(Connection connection, String order) throws SQLException {
        return (int) number(
                connection, "SELECT op_total FROM transaction_record WHERE orderId = ? AND resource_id = ?", order, id);
    }
}
