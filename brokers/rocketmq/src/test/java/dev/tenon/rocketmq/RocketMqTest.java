package dev.tenon.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.testkit.MessageBrokerContract;
import dev.tenon.testkit.MessageBrokerFixture;
import dev.tenon.tx.Barrier;
import dev.tenon.tx.LocalTransactions;
import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import dev.tenon.tx.message.ConsumerOptions;
import dev.tenon.tx.message.DeadLetter;
import dev.tenon.tx.message.Inbox;
import dev.tenon.tx.message.MessageSink;
import dev.tenon.tx.message.Outbox;
import dev.tenon.tx.message.OutboxOptions;
import dev.tenon.tx.spi.OutboxStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.common.message.MessageAccessor;
import org.apache.rocketmq.common.message.MessageConst;
import org.awaitility.Awaitility;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Outbox, RocketMQ and inbox. */
class RocketMqTest extends MessageBrokerContract {
    private static RocketMqBroker broker;

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    private final JdbcBackend backend = JdbcBackend.connect(url);
    private final JdbcDataSource connections = new JdbcDataSource();

    RocketMqTest() {
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

    @AfterEach
    void close() {
        backend.close();
    }

    @Override
    protected MessageBrokerFixture broker() {
        return broker;
    }

    @Override
    protected DataSource connections() {
        return connections;
    }

    @Override
    protected OutboxStore outboxStore() {
        return backend.outbox();
    }

    @Override
    protected Barrier barrier() {
        return backend.barrier();
    }

    @Test
    void ordersAndPointsAsTheDocsSay() throws Exception {
        broker.create("orders-paid");
        execute("CREATE TABLE points (customer VARCHAR(100) PRIMARY KEY, number INT)");
        execute("INSERT INTO points VALUES ('ann', 0)");
        RocketMqCluster rocketMq = broker.cluster();
        // tag::sink[]
        RocketMqSink sink = RocketMqSink.connect(rocketMq); // RocketMqCluster.at("mq-1:9876;mq-2:9876")
        Outbox outbox =
                Outbox.over(backend.outbox(), sink, OutboxOptions.DEFAULT).start();
        try (Connection connection = connections.getConnection()) {
            connection.setAutoCommit(false);
            // the order is inserted here, in the same transaction
            outbox.enqueue(
                    connection,
                    Message.of("orders-paid", "order-paid/1", "30")
                            .withId("order-17-paid")
                            .withKey("ann"));
            connection.commit();
        }
        outbox.dispatch();
        // end::sink[]

        // tag::receiver[]
        Inbox inbox = Inbox.over(backend.barrier(), "points");
        MessageSink handler = inbox.handler(connections, (connection, message) -> {
            givePoints(connection, message);
            return Reply.done(); // commits; a refusal, or an exception, rolls back
        });
        ConsumerOptions options = ConsumerOptions.of("points");
        RocketMqReceiver receiver = RocketMqReceiver.start(rocketMq, "orders-paid", handler, options);
        // end::receiver[]
        try (sink;
                outbox;
                receiver) {
            Awaitility.await().atMost(RocketMqBroker.PATIENCE).until(() -> points() == 30);
            assertThat(receiver.trouble()).isEmpty();
        }
        // tag::replay[]
        RocketMqDeadLetters dead = RocketMqDeadLetters.of(rocketMq, "orders-paid", ConsumerOptions.of("points"));
        List<DeadLetter> letters = dead.list(100); // each with its reason and its history
        int replayed = dead.replay(100, "eve");
        // end::replay[]
        assertThat(letters).isEmpty();
        assertThat(replayed).isZero();
        // tag::reliable[]
        RocketMqReliableMessages messages = RocketMqReliableMessages.start(
                rocketMq,
                "shop", // whoever has this name answers for this database
                Set.of("orders-paid"),
                LocalTransactions.of(connections),
                backend.barrier());
        Message paid = Message.of("orders-paid", "order-paid/1", "30").withKey("ann");
        Reply reply = messages.send(paid, connection -> {
            // the order is inserted here, in this local transaction
            return Reply.done(); // commits; a refusal, or an exception, rolls back
        });
        // end::reliable[]
        messages.close();
        assertThat(reply).isEqualTo(Reply.done());
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = connections.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static void givePoints(Connection connection, Message message) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE points SET number = number + ? WHERE customer = ?")) {
            update.setInt(1, Integer.parseInt(message.text()));
            update.setString(2, message.key().orElseThrow());
            update.executeUpdate();
        }
    }

    private int points() throws SQLException {
        try (Connection connection = connections.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT number FROM points")) {
            row.next();
            return row.getInt(1);
        }
    }

    @Test
    void whatRocketMqNeverTakesIsRefused() throws Exception {
        broker.create("large");
        Message message = Message.of("large", "a/1", "x");
        try (RocketMqSink sink = RocketMqSink.connect(broker.cluster())) {
            assertThat(sink.send(Message.of("no/topic", "a/1", "x"))).isInstanceOf(Reply.Refused.class);
            assertThat(sink.send(Message.of("large", "a/1", ""))).isInstanceOf(Reply.Refused.class);
            assertThat(sink.send(message.withHeader("empty", ""))).isInstanceOf(Reply.Refused.class);
            assertThat(sink.send(message.withHeader("KEYS", "x"))).isInstanceOf(Reply.Refused.class);
            assertThat(sink.send(message.withHeader("cut", "a\u0002b"))).isInstanceOf(Reply.Refused.class);
            Message wide = message;
            for (int i = 0; i < 13; i++) {
                wide = wide.withHeader("h" + i, "x".repeat(1000));
            }
            assertThat(sink.send(wide)).isInstanceOf(Reply.Refused.class);
            assertThat(sink.send(Message.of("large", "", new byte[Message.BODY_LENGTH_MAX])))
                    .isEqualTo(Reply.done());
        }
        assertThatThrownBy(() -> RocketMqCluster.at(" ")).hasMessageContaining("name servers");
        assertThatThrownBy(() -> RocketMqReceiver.start(
                        broker.cluster(), "large", it -> Reply.done(), ConsumerOptions.of("no group!")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aMessageOfAnotherSenderIsKnownByRocketMqsOwnId() throws Exception {
        broker.create("foreign");
        Queue<Message> taken = new ConcurrentLinkedQueue<>();
        DefaultMQProducer producer = new DefaultMQProducer("strangers");
        producer.setNamesrvAddr(broker.nameServers());
        producer.start();
        try (RocketMqReceiver receiver =
                RocketMqReceiver.start(broker.cluster(), "foreign", collector(taken), MessageBrokerFixture.OPTIONS)) {
            org.apache.rocketmq.common.message.Message one =
                    new org.apache.rocketmq.common.message.Message("foreign", "paid", new byte[] {'5'});
            MessageAccessor.putProperty(one, MessageConst.PROPERTY_SHARDING_KEY, "ann");
            one.putUserProperty("number", "5");
            String id = producer.send(one).getMsgId();
            one = new org.apache.rocketmq.common.message.Message("foreign", new byte[] {'6'});
            one.putUserProperty("tenon-id", "not an id!");
            producer.send(one);
            Awaitility.await().atMost(RocketMqBroker.PATIENCE).until(() -> !taken.isEmpty());
            assertThat(taken)
                    .containsExactly(Message.of("foreign", "paid", "5")
                            .withId(id)
                            .withKey("ann")
                            .withHeader("number", "5"));
            Awaitility.await()
                    .atMost(RocketMqBroker.PATIENCE)
                    .until(() -> !broker.deadLetters("foreign").isEmpty());
            assertThat(broker.deadLetters("foreign").get(0).text()).isEqualTo("6");
            assertThat(receiver.trouble()).isEmpty();
        } finally {
            producer.shutdown();
        }
    }

    static MessageSink collector(Queue<Message> taken) {
        return message -> {
            taken.add(message);
            return Reply.done();
        };
    }
}
