package dev.tenon.examples.micronaut;

import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import dev.tenon.tx.message.Inbox;
import dev.tenon.tx.message.MessageSink;
import io.micronaut.jdbc.DataSourceResolver;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Points of customers: given once for each order, however often its message comes. */
@Singleton
final class Points {
    private final DataSource pool;
    private final MessageSink sink;

    Points(DataSource source, DataSourceResolver resolver, JdbcBackend backend) {
        this.pool = resolver.resolve(source);
        this.sink = Inbox.over(backend.barrier(), "points").handler(pool, Points::add);
    }

    /** What to do with a message. */
    MessageSink sink() {
        return sink;
    }

    int of(String customer) throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement query = connection.prepareStatement("SELECT number FROM points WHERE customer = ?")) {
            query.setString(1, customer);
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? row.getInt(1) : 0;
            }
        }
    }

    private static Reply add(Connection connection, Message message) throws SQLException {
        try (PreparedStatement add = connection.prepareStatement(
                "MERGE INTO points p USING (VALUES (?, ?)) m (customer, more) ON p.customer = m.customer"
                        + " WHEN MATCHED THEN UPDATE SET number = p.number + m.more"
                        + " WHEN NOT MATCHED THEN INSERT VALUES (m.customer, m.more)")) {
            add.setString(1, message.key().orElseThrow());
            add.setInt(2, Integer.parseInt(message.text()));
            add.executeUpdate();
        }
        return Reply.done();
    }
}
