package dev.tenon.examples.quarkus;

import dev.tenon.tx.Message;
import dev.tenon.tx.message.Outbox;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Stock and orders, in the transactions of the application. */
@Singleton
class Books {
    private final DataSource source;
    private final Outbox outbox;

    Books(DataSource source, Outbox outbox) {
        this.source = source;
        this.outbox = outbox;
    }

    // tag::sell[]
    /** The order, its message and the stock: all of it, or nothing. */
    @Transactional
    void sell(long id, String customer, String item, long token) {
        try (Connection connection = source.getConnection(); // the one of the transaction
                PreparedStatement order = connection.prepareStatement("INSERT INTO orders VALUES (?, ?, ?)");
                PreparedStatement stock = connection.prepareStatement(
                        "UPDATE stock SET number = number - 1, token = ? WHERE item = ? AND number > 0 AND token <= ?")) {
            order.setLong(1, id);
            order.setString(2, customer);
            order.setString(3, item);
            order.executeUpdate();
            outbox.enqueue(connection, Message.of("points", "order-paid/1", "1").withKey(customer));
            stock.setLong(1, token);
            stock.setString(2, item);
            stock.setLong(3, token);
            if (stock.executeUpdate() == 0) {
                throw new SoldOutException(item); // rolls back order and message
            }
        } catch (SQLException e) {
            throw new IllegalStateException("No order of " + item + " for " + customer, e);
        }
    }
    // end::sell[]
}
