package dev.tenon.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.testkit.KafkaServer;
import dev.tenon.testkit.MessageBrokerContract;
import dev.tenon.testkit.MessageBrokerFixture;
import dev.tenon.tx.Barrier;
import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import dev.tenon.tx.message.ConsumerOptions;
import dev.tenon.tx.message.DeadLetter;
import dev.tenon.tx.message.Inbox;
import dev.tenon.tx.message.MessageSink;
import dev.tenon.tx.message.Outbox;
import dev.tenon.tx.message.OutboxOptions;
import dev.tenon.tx.spi.OutboxStore;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.awaitility.Awaitility;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Outbox, Kafka and inbox. */
class KafkaTest extends MessageBrokerContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(20);
    private static final Duration HASTE = Duration.ofSeconds(2);
    private static KafkaServer server;

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    private final JdbcBackend backend = JdbcBackend.connect(url);
    private final JdbcDataSource connections = new JdbcDataSource();

    KafkaTest() {
        connections.setURL(url);
    }

    @BeforeAll
    static void startServer() {
        server = KafkaServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @AfterEach
    void close() {
        backend.close();
    }

    /** For a broker that is there: its answers may be late, as the machine's are at times. */
    private static Map<String, String> settings() {
        return settings(ANSWER_LIMIT);
    }

    /** @param limit how long the broker may take for an answer */
    private static Map<String, String> settings(Duration limit) {
        String millis = String.valueOf(limit.toMillis());
        return Map.of(
                "bootstrap.servers",
                server.bootstrap(),
                "max.block.ms",
                millis,
                "default.api.timeout.ms",
                millis,
                "request.timeout.ms",
                millis,
                "delivery.timeout.ms",
                millis,
                "reconnect.backoff.max.ms",
                "200");
    }

    private static final class Broker implements MessageBrokerFixture {
        private static volatile boolean down;

        @Override
        public void create(String target) throws Exception {
            try (Admin admin = Admin.create(Map.of("bootstrap.servers", server.bootstrap()))) {
                admin.createTopics(List.of(
                                new NewTopic(target, 2, (short) 1),
                                new NewTopic(OPTIONS.deadLettersOf(target), 2, (short) 1)))
                        .all()
                        .get();
                // What the controller has made is known to the broker a little later.
                Awaitility.await()
                        .atMost(PATIENCE)
                        .ignoreExceptions()
                        .until(() -> admin.describeTopics(List.of(target, OPTIONS.deadLettersOf(target)))
                                        .allTopicNames()
                                        .get()
                                        .size()
                                == 2);
            }
        }

        @Override
        public MessageSink sink() {
            return KafkaSink.connect(settings());
        }

        @Override
        public MessageSink hastySink() {
            return KafkaSink.connect(settings(HASTE));
        }

        @Override
        public AutoCloseable receiver(String target, MessageSink handler, ConsumerOptions options) {
            return KafkaReceiver.start(down ? settings(HASTE) : settings(), target, handler, options);
        }

        @Override
        public List<DeadLetter> deadLetters(String target) {
            return KafkaDeadLetters.of(settings(), target, OPTIONS).list(10);
        }

        @Override
        public int replay(String target, int limit, String by) throws InterruptedException {
            return KafkaDeadLetters.of(settings(), target, OPTIONS).replay(limit, by);
        }

        @Override
        public void kill() {
            server.kill();
            down = true;
        }

        @Override
        public void restart() {
            server.restart();
            down = false;
        }
    }

    @Override
    protected MessageBrokerFixture broker() {
        return new Broker();
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
    void settingsThatBreakAPromiseAreRefused() {
        String servers = server.bootstrap();
        assertThatThrownBy(() -> KafkaSink.connect(Map.of("bootstrap.servers", servers, "acks", "1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("acks");
        assertThatThrownBy(() -> KafkaSink.connect(Map.of("bootstrap.servers", servers, "enable.idempotence", false)))
                .hasMessageContaining("enable.idempotence");
        assertThatThrownBy(() -> KafkaSink.connect(Map.of())).hasMessageContaining("bootstrap.servers");
        Map<String, String> automatic = Map.of("bootstrap.servers", servers, "enable.auto.commit", "true");
        assertThatThrownBy(() ->
                        KafkaReceiver.start(automatic, "points", message -> Reply.done(), MessageBrokerFixture.OPTIONS))
                .hasMessageContaining("enable.auto.commit");
    }

    @Test
    void whatKafkaNeverTakesIsRefused() throws Exception {
        try (KafkaSink sink = KafkaSink.connect(settings())) {
            assertThat(sink.send(Message.of("no/topic", "a/1", "x"))).isInstanceOf(Reply.Refused.class);
            broker().create("large");
            assertThat(sink.send(Message.of("large", "a/1", new byte[Message.BODY_LENGTH_MAX])))
                    .isInstanceOf(Reply.Refused.class);
        }
    }

    @Test
    void aRecordOfAnotherProducerIsKnownByItsPlace() throws Exception {
        broker().create("foreign");
        Queue<Message> taken = new ConcurrentLinkedQueue<>();
        try (KafkaPublisher publisher = KafkaPublisher.open(settings());
                KafkaReceiver receiver = KafkaReceiver.start(
                        settings(),
                        "foreign",
                        message -> {
                            taken.add(message);
                            return Reply.done();
                        },
                        MessageBrokerFixture.OPTIONS)) {
            publisher.publish("foreign", new byte[] {-1}, null, new RecordHeaders());
            Awaitility.await().atMost(PATIENCE).until(() -> !taken.isEmpty());
            assertThat(taken.element().id()).matches("foreign:[01]:0");
            assertThat(taken.element().key()).contains("base64:/w==");
            assertThat(receiver.trouble()).isEmpty();
        }
    }

    @Test
    void ordersAndPointsAsTheDocsSay() throws Exception {
        broker().create("orders-paid");
        execute("CREATE TABLE points (customer VARCHAR(100) PRIMARY KEY, number INT)");
        execute("INSERT INTO points VALUES ('ann', 0)");
        Map<String, String> kafka = settings();
        // tag::sink[]
        KafkaSink sink = KafkaSink.connect(kafka); // bootstrap.servers, and what your security needs
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
        KafkaReceiver receiver = KafkaReceiver.start(kafka, "orders-paid", handler, options);
        // end::receiver[]
        try (sink;
                outbox;
                receiver) {
            Awaitility.await().atMost(PATIENCE).until(() -> points() == 30);
            assertThat(receiver.trouble()).isEmpty();
        }
        // tag::replay[]
        KafkaDeadLetters dead = KafkaDeadLetters.of(kafka, "orders-paid", ConsumerOptions.of("points"));
        List<DeadLetter> letters = dead.list(100); // each with its reason and its history
        int replayed = dead.replay(100, "eve");
        // end::replay[]
        assertThat(letters).isEmpty();
        assertThat(replayed).isZero();
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = connections.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static void givePoints(Connection connection, Message message) throws SQLException {
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
    void whatIsNoMessageIsADeadLetter() throws Exception {
        broker().create("broken");
        try (KafkaPublisher publisher = KafkaPublisher.open(settings());
                KafkaReceiver receiver = KafkaReceiver.start(
                        settings(), "broken", message -> Reply.done(), MessageBrokerFixture.OPTIONS)) {
            publisher.publish(
                    "broken",
                    null,
                    "body".getBytes(StandardCharsets.UTF_8),
                    new RecordHeaders().add("tenon-id", "not an id!".getBytes(StandardCharsets.UTF_8)));
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> !broker().deadLetters("broken").isEmpty());
            assertThat(broker().deadLetters("broken").get(0).text()).isEqualTo("body");
            assertThat(receiver.trouble()).isEmpty();
        }
    }
}
