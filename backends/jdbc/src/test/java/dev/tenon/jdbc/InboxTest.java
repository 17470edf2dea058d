package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import dev.tenon.tx.message.Inbox;
import dev.tenon.tx.message.MessageSink;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A message that comes more than once has its effect once. */
class InboxTest {
    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    private final JdbcBackend backend = JdbcBackend.connect(url);
    private final JdbcDataSource connections = new JdbcDataSource();
    private final Message message = Message.of("points", "paid/1", "10");

    @BeforeEach
    void makeTable() throws SQLException {
        connections.setURL(url);
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE points (id INT PRIMARY KEY, number INT)");
            statement.execute("INSERT INTO points VALUES (1, 0)");
        }
    }

    @AfterEach
    void close() {
        backend.close();
    }

    private int points() throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT number FROM points")) {
            row.next();
            return row.getInt(1);
        }
    }

    private static Reply add(Connection connection, Message message) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("UPDATE points SET number = number + " + message.text());
        }
        return Reply.done("added");
    }

    @Test
    void aMessageThatComesAgainGetsTheFirstAnswerAndHasNoSecondEffect() throws Exception {
        MessageSink handler = Inbox.over(backend.barrier(), "points").handler(connections, InboxTest::add);
        assertThat(handler.send(message)).isEqualTo(Reply.done("added"));
        assertThat(handler.send(message)).isEqualTo(Reply.done("added"));
        assertThat(points()).isEqualTo(10);
        assertThat(handler.send(message.withId("another"))).isEqualTo(Reply.done("added"));
        assertThat(points()).isEqualTo(20);
    }

    @Test
    void manyAtOnceHaveOneEffect() throws Exception {
        MessageSink handler = Inbox.over(backend.barrier(), "points").handler(connections, InboxTest::add);
        ExecutorService threads = Executors.newFixedThreadPool(8);
        List<Callable<Reply>> calls = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            calls.add(() -> sendUntilItIsDone(handler));
        }
        for (Future<Reply> reply : threads.invokeAll(calls)) {
            assertThat(reply.get()).isEqualTo(Reply.done("added"));
        }
        threads.shutdown();
        assertThat(points()).isEqualTo(10);
    }

    /** As an outbox, or a broker, would: what the database does not let through is sent again. */
    private Reply sendUntilItIsDone(MessageSink handler) {
        return Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .ignoreExceptions()
                .until(() -> handler.send(message), Reply.Done.class::isInstance);
    }

    @Test
    void whatFailsOrIsRefusedIsRolledBackAndMayComeAgain() throws Exception {
        Inbox inbox = Inbox.over(backend.barrier(), "points");
        assertThatThrownBy(() -> inbox.handler(connections, (connection, it) -> {
                            add(connection, it);
                            throw new IllegalStateException("just now");
                        })
                        .send(message))
                .hasMessage("just now");
        assertThatThrownBy(() -> inbox.handler(connections, (connection, it) -> {
                            add(connection, it);
                            throw new StackOverflowError("an error, and no exception");
                        })
                        .send(message))
                .isInstanceOf(StackOverflowError.class);
        assertThat(inbox.handler(connections, (connection, it) -> {
                            add(connection, it);
                            return Reply.refused("no such customer");
                        })
                        .send(message))
                .isEqualTo(Reply.refused("no such customer"));
        assertThat(points()).isZero();
        inbox.handler(connections, InboxTest::add).send(message);
        assertThat(points()).isEqualTo(10);
    }

    @Test
    void consumersOfOneDatabaseDoNotShareWhatIsDone() throws Exception {
        Inbox.over(backend.barrier(), "points")
                .handler(connections, InboxTest::add)
                .send(message);
        Inbox.over(backend.barrier(), "bonus")
                .handler(connections, InboxTest::add)
                .send(message);
        assertThat(points()).isEqualTo(20);
    }

    @Test
    void refusesAConnectionInAutocommitMode() throws SQLException {
        try (Connection connection = DriverManager.getConnection(url)) {
            Inbox inbox = Inbox.over(backend.barrier(), "points");
            assertThatThrownBy(() -> inbox.once(connection, message, open -> add(open, message)))
                    .isInstanceOf(IllegalStateException.class);
        }
        assertThat(points()).isZero();
    }
}
