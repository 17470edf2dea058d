package dev.tenon.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.BackendUnavailableException;
import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.testkit.MessageBrokerFixture;
import dev.tenon.tx.LocalTransactions;
import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionAbortedException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.rocketmq.client.producer.LocalTransactionState;
import org.apache.rocketmq.common.message.MessageAccessor;
import org.apache.rocketmq.common.message.MessageExt;
import org.awaitility.Awaitility;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Messages that RocketMQ holds back until a local transaction has ended, and asks for if it is not told. */
class RocketMqReliableMessagesTest {
    private static RocketMqBroker broker;

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    private final JdbcBackend backend = JdbcBackend.connect(url);
    private final JdbcDataSource connections = new JdbcDataSource();

    RocketMqReliableMessagesTest() {
        connections.setURL(url);
    }

    @BeforeAll
    static void startServer() throws Exception {
        broker = new RocketMqBroker();
    }

    @AfterAll
    static void stopServer() {
        broker.close();
    }

    @BeforeEach
    void makeTable() throws SQLException {
        try (Connection connection = connections.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE effects (seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
                    + " message VARCHAR(200), lane VARCHAR(200), number INT)");
        }
    }

    @AfterEach
    void close() {
        backend.close();
    }

    private RocketMqReliableMessages reliable(String topic, EndHook hook) {
        return reliable("shop-" + topic, topic, hook);
    }

    private RocketMqReliableMessages reliable(String group, String topic, EndHook hook) {
        return RocketMqReliableMessages.start(
                broker.cluster().withHook(hook),
                group,
                Set.of(topic),
                LocalTransactions.of(connections),
                backend.barrier());
    }

    private static Reply order(Connection connection, Message message) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO effects (message, lane, number) VALUES (?, '', 0)")) {
            insert.setString(1, message.id());
            insert.executeUpdate();
        }
        return Reply.done();
    }

    private List<String> orders() throws SQLException {
        List<String> found = new ArrayList<>();
        try (Connection connection = connections.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT message FROM effects ORDER BY seq")) {
            while (row.next()) {
                found.add(row.getString(1));
            }
        }
        return found;
    }

    private static Message message(String topic, String id) {
        return Message.of(topic, "order-paid/1", "30").withId(id);
    }

    /**
     * Waits until one message has come: the one that was sent last, so that those that must not come have had their
     * time.
     */
    private static List<String> takenUntil(String topic, String last) {
        Queue<Message> taken = new ConcurrentLinkedQueue<>();
        try (RocketMqReceiver receiver = RocketMqReceiver.start(
                broker.cluster(), topic, RocketMqTest.collector(taken), MessageBrokerFixture.OPTIONS)) {
            Awaitility.await()
                    .atMost(RocketMqBroker.PATIENCE)
                    .until(() -> taken.stream().anyMatch(message -> message.id().equals(last)));
            assertThat(receiver.trouble()).isEmpty();
        }
        return taken.stream().map(Message::id).distinct().toList();
    }

    @Test
    void whatIsCommittedIsSentAndWhatIsRolledBackIsNot() throws Exception {
        broker.create("plain");
        assertThatThrownBy(() -> reliable("nowhere", new EndHook()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("nowhere");
        try (RocketMqReliableMessages messages = reliable("plain", new EndHook())) {
            assertThatThrownBy(() -> messages.send(message("plain", "failed"), connection -> {
                        order(connection, message("plain", "failed"));
                        throw new AssertionError("no such customer");
                    }))
                    .hasMessage("no such customer");
            assertThat(messages.send(message("plain", "refused"), connection -> {
                        order(connection, message("plain", "refused"));
                        return Reply.refused("no stock");
                    }))
                    .isEqualTo(Reply.refused("no stock"));
            assertThat(messages.send(message("plain", "ok").withHeader("WAIT", "x"), open -> Reply.done()))
                    .isInstanceOf(Reply.Refused.class);
            assertThatThrownBy(() -> messages.send(message("elsewhere", "ok"), open -> Reply.done()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("elsewhere");
            Message paid = message("plain", "paid");
            assertThat(messages.send(paid, open -> order(open, paid))).isEqualTo(Reply.done());
            // Once more, since the first answer may have been lost: its work is not done again.
            assertThat(messages.send(paid, open -> order(open, paid))).isEqualTo(Reply.done());
            assertThat(orders()).containsExactly("paid");
            assertThat(takenUntil("plain", "paid")).containsExactly("paid");
            assertThat(messages.trouble()).isEmpty();
        }
    }

    @Test
    void anEndThatIsLostIsFoundOutByTheCheckOfAnotherMember() throws Exception {
        broker.create("lost");
        EndHook hook = new EndHook();
        hook.lost = true;
        try (RocketMqReliableMessages messages = reliable("lost", hook)) {
            assertThatThrownBy(() -> messages.send(message("lost", "failed"), connection -> {
                        order(connection, message("lost", "failed"));
                        throw new IllegalStateException("no such customer");
                    }))
                    .hasMessage("no such customer");
            Message paid = message("lost", "paid");
            assertThat(messages.send(paid, open -> order(open, paid))).isEqualTo(Reply.done());
        }
        try (RocketMqReliableMessages another = reliable("lost", new EndHook())) {
            assertThat(takenUntil("lost", "paid")).containsExactly("paid");
            // The answer was no, and stays it.
            Message failed = message("lost", "failed");
            Awaitility.await()
                    .atMost(RocketMqBroker.PATIENCE)
                    .untilAsserted(() -> assertThatThrownBy(
                                    () -> another.send(failed, open -> Reply.refused("not checked yet")))
                            .isInstanceOf(TransactionAbortedException.class));
            assertThat(another.trouble()).isEmpty();
        }
        assertThat(orders()).containsExactly("paid");
    }

    @Test
    void aBrokerThatIsKilledBetweenHalfMessageAndEndSendsItAfterAll() throws Exception {
        broker.create("killed");
        Message paid = message("killed", "paid");
        try (RocketMqReliableMessages messages = reliable("killed", new EndHook())) {
            assertThat(messages.send(paid, open -> {
                        broker.kill();
                        return order(open, paid);
                    }))
                    .isEqualTo(Reply.done());
            assertThatThrownBy(() -> messages.send(message("killed", "no-half"), open -> order(open, paid)))
                    .isInstanceOf(BackendUnavailableException.class)
                    .hasMessageContaining("killed");
            assertThatThrownBy(() -> reliable("killed", new EndHook())).isInstanceOf(BackendUnavailableException.class);
            broker.restart();
            assertThat(takenUntil("killed", "paid")).containsExactly("paid");
            assertThat(messages.trouble()).isEmpty();
        }
        assertThat(orders()).containsExactly("paid");
    }

    @Test
    void aCheckBeforeTheLocalCommitIsNeverToldNo() throws Exception {
        broker.create("early");
        EndHook hook = new EndHook();
        Message paid = message("early", "paid");
        try (RocketMqReliableMessages messages = reliable("early", hook);
                RocketMqReliableMessages another = reliable("shop-2", "early", new EndHook())) {
            assertThat(messages.send(paid, open -> {
                        Awaitility.await().atMost(RocketMqBroker.PATIENCE).until(() -> hook.unknown.get() >= 2);
                        // In another process: it waits for this transaction, until the database has had enough of that.
                        assertThat(another.check(half("paid"))).isEqualTo(LocalTransactionState.UNKNOW);
                        return order(open, paid);
                    }))
                    .isEqualTo(Reply.done());
            assertThat(takenUntil("early", "paid")).containsExactly("paid");
            assertThat(another.check(half("paid"))).isEqualTo(LocalTransactionState.COMMIT_MESSAGE);
        }
        assertThat(orders()).containsExactly("paid");
    }

    @Test
    void aLocalTransactionThatIsLaterThanTheAnswerIsRolledBack() throws Exception {
        broker.create("late");
        try (RocketMqReliableMessages messages = reliable("late", new EndHook());
                RocketMqReliableMessages another = reliable("shop-2", "late", new EndHook())) {
            assertThat(another.check(half("late"))).isEqualTo(LocalTransactionState.ROLLBACK_MESSAGE);
            Message late = message("late", "late");
            assertThatThrownBy(() -> messages.send(late, open -> order(open, late)))
                    .isInstanceOf(TransactionAbortedException.class)
                    .hasMessageContaining("late");
            assertThat(another.check(half("late"))).isEqualTo(LocalTransactionState.ROLLBACK_MESSAGE);
            Message paid = message("late", "paid");
            assertThat(messages.send(paid, open -> order(open, paid))).isEqualTo(Reply.done());
            assertThat(takenUntil("late", "paid")).containsExactly("paid");

            MessageExt nobodys = new MessageExt();
            nobodys.setTopic("late");
            assertThat(another.check(nobodys)).isEqualTo(LocalTransactionState.UNKNOW);
            assertThat(another.trouble())
                    .hasValueSatisfying(why -> assertThat(why).contains("no ID"));
        }
        assertThat(orders()).containsExactly("paid");
    }

    private static MessageExt half(String id) {
        MessageExt half = new MessageExt();
        MessageAccessor.putProperty(half, "tenon-id", id);
        return half;
    }
}
