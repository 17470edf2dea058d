package dev.tenon.server;

import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.message.MessageHandlers;
import dev.tenon.tx.message.Outbox;
import dev.tenon.tx.message.OutboxOptions;
import dev.tenon.tx.spi.OutboxOperations;
import dev.tenon.tx.spi.Settlement;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A service with an outbox in its database, which has a handler for {@code points}, and none for {@code /paynowhere}.
 */
final class ShopOutbox implements AutoCloseable {
    private static final RetryPolicy ONCE =
            new RetryPolicy(Duration.ofMillis(1), 1, Duration.ofMillis(1), OptionalInt.of(1));

    private final String url;
    private final String user;
    private final String password;
    private final JdbcBackend backend;
    private final Outbox outbox;
    private final Queue<String> sent = new ConcurrentLinkedQueue<>();

    private ShopOutbox(String url, String user, String password, String name) {
        this.url = url;
        this.user = user;
        this.password = password;
        this.backend = JdbcBackend.connect(url, user, password);
        MessageHandlers handlers = MessageHandlers.none().with("points", message -> {
            sent.add(message.text());
            return Reply.done();
        });
        this.outbox = Outbox.over(
                backend.outbox(), handlers, OutboxOptions.DEFAULT.withName(name).withRetry(ONCE));
    }

    /** In memory, under the name that an outbox has by default. */
    static ShopOutbox inMemory() {
        return new ShopOutbox(
                "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "", OutboxOptions.DEFAULT.name());
    }

    /** In a database. */
    static ShopOutbox at(SqlAddress address, String name) {
        return new ShopOutbox(address.url(), address.user(), address.password(), name);
    }

    /** Where a server finds it. */
    StoreLocation store() {
        return new StoreLocation(url, Optional.of(user), Optional.of(password));
    }

    OutboxOperations operations() {
        return outbox.operations();
    }

    /** What the handler of {@code points} was given. */
    List<String> sent() {
        return List.copyOf(sent);
    }

    /** Commits them. */
    void commit(Message... messages) {
        try (Connection connection = DriverManager.getConnection(url, user, password)) {
            connection.setAutoCommit(false);
            outbox.enqueue(connection, List.of(messages));
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Sends what can be sent. */
    void run() {
        while (outbox.runOnce() > 0) {
            Thread.onSpinWait();
        }
    }

    /** A new dead letter; its number. */
    long die() {
        commit(Message.of("/dead", "t/1", "{}"));
        return backend.outbox().claim(outbox.name(), Duration.ofMinutes(10), 100).entries().stream()
                .filter(entry -> entry.message().target().equals("/dead"))
                .map(entry -> {
                    backend.outbox().settle(outbox.name(), List.of(new Settlement.Dead(entry, "nobody takes it")));
                    return entry.number();
                })
                .reduce(0L, Math::max);
    }

    @Override
    public void close() {
        outbox.close();
        backend.close();
    }
}
