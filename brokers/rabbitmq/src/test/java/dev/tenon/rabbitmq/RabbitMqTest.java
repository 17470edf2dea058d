package dev.tenon.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.testkit.MessageBrokerContract;
import dev.tenon.testkit.MessageBrokerFixture;
import dev.tenon.testkit.RabbitMqServer;
import dev.tenon.tx.Barrier;
import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import dev.tenon.tx.message.ConsumerOptions;
import dev.tenon.tx.message.DeadLetter;
import dev.tenon.tx.message.MessageSink;
import dev.tenon.tx.spi.OutboxStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Outbox, RabbitMQ and inbox. */
class RabbitMqTest extends MessageBrokerContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static RabbitMqServer server;

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    private final JdbcBackend backend = JdbcBackend.connect(url);
    private final JdbcDataSource connections = new JdbcDataSource();

    RabbitMqTest() {
        connections.setURL(url);
    }

    @BeforeAll
    static void startServer() {
        server = RabbitMqServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @AfterEach
    void close() {
        backend.close();
    }

    private static ConnectionFactory factory() throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(server.uri());
        return factory;
    }

    private static final class Broker implements MessageBrokerFixture {
        private static final Set<String> TARGETS = ConcurrentHashMap.newKeySet();

        @Override
        public void create(String target) throws Exception {
            TARGETS.add(target);
            try (Connection connection = factory().newConnection()) {
                Channel channel = connection.createChannel();
                channel.queueDeclare(target, true, false, false, Map.of());
                channel.queueDeclare(OPTIONS.deadLettersOf(target), true, false, false, Map.of());
            }
        }

        @Override
        public MessageSink sink() throws Exception {
            return RabbitMqSink.connect(factory());
        }

        @Override
        public AutoCloseable receiver(String target, MessageSink handler, ConsumerOptions options) throws Exception {
            return RabbitMqReceiver.start(factory(), target, handler, options);
        }

        @Override
        public List<DeadLetter> deadLetters(String target) throws Exception {
            return RabbitMqDeadLetters.of(factory(), target, OPTIONS).list(10);
        }

        @Override
        public int replay(String target, int limit, String by) throws Exception {
            return RabbitMqDeadLetters.of(factory(), target, OPTIONS).replay(limit, by);
        }

        @Override
        public void kill() {
            server.kill();
        }

        /**
         * A queue that was declared a moment before {@code kill -9} may be gone: RabbitMQ 3.10 keeps what it has
         * confirmed in those that are not.
         */
        @Override
        public void restart() throws Exception {
            server.restart();
            for (String target : TARGETS) {
                create(target);
            }
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
    void aMessageOfAnotherSenderIsKnownByItsMessageIdAndIsADeadLetterWithoutOne() throws Exception {
        broker().create("foreign");
        Queue<Message> taken = new ConcurrentLinkedQueue<>();
        MessageSink handler = message -> {
            taken.add(message);
            return Reply.done();
        };
        try (Connection connection = factory().newConnection();
                RabbitMqReceiver receiver =
                        RabbitMqReceiver.start(factory(), "foreign", handler, MessageBrokerFixture.OPTIONS)) {
            Channel channel = connection.createChannel();
            channel.basicPublish(
                    "", "foreign", new AMQP.BasicProperties(), "nobody's".getBytes(StandardCharsets.UTF_8));
            AMQP.BasicProperties properties = new AMQP.BasicProperties.Builder()
                    .messageId("order-17")
                    .type("paid/1")
                    .headers(Map.of("number", 5, "table", Map.of("a", "b")))
                    .build();
            channel.basicPublish("", "foreign", properties, "5".getBytes(StandardCharsets.UTF_8));
            Awaitility.await().atMost(PATIENCE).until(() -> !taken.isEmpty());
            assertThat(taken)
                    .containsExactly(Message.of("foreign", "paid/1", "5")
                            .withId("order-17")
                            .withHeader("number", "5"));
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> !broker().deadLetters("foreign").isEmpty());
            DeadLetter dead = broker().deadLetters("foreign").get(0);
            assertThat(dead.text()).isEqualTo("nobody's");
            assertThat(dead.reason()).contains("no ID");
            assertThat(receiver.trouble()).isEmpty();
        }
    }

    @Test
    void anExchangeTakesWhatIsBoundToIt() throws Exception {
        broker().create("bound");
        try (Connection connection = factory().newConnection()) {
            Channel channel = connection.createChannel();
            channel.exchangeDeclare("events", "topic", true);
            channel.queueBind("bound", "events", "order.*");
            try (RabbitMqSink sink = RabbitMqSink.connect(factory(), "events")) {
                assertThat(sink.send(Message.of("order.paid", "paid/1", "1"))).isEqualTo(Reply.done());
                assertThatThrownBy(() -> sink.send(Message.of("stock.low", "low/1", "1")))
                        .isInstanceOf(BackendUnavailableException.class)
                        .hasMessageContaining("Exchange events with stock.low");
                assertThat(sink.send(Message.of("x".repeat(90) + "\u20ac".repeat(90), "low/1", "1")))
                        .isInstanceOf(Reply.Refused.class);
                assertThat(channel.messageCount("bound")).isEqualTo(1);
            }
            try (RabbitMqSink sink = RabbitMqSink.connect(factory(), "no-such-exchange")) {
                assertThatThrownBy(() -> sink.send(Message.of("order.paid", "paid/1", "1")))
                        .isInstanceOf(OutcomeUnknownException.class)
                        .hasMessageContaining("no exchange 'no-such-exchange'");
            }
        }
    }

    @Test
    void aQueueThatIsFullSaysSo() throws Exception {
        Map<String, Object> full = Map.of("x-max-length", 1, "x-overflow", "reject-publish");
        try (Connection connection = factory().newConnection();
                RabbitMqSink sink = RabbitMqSink.connect(factory())) {
            connection.createChannel().queueDeclare("full", true, false, false, full);
            assertThat(sink.send(Message.of("full", "a/1", "1"))).isEqualTo(Reply.done());
            assertThatThrownBy(() -> sink.send(Message.of("full", "a/1", "2")))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasMessageContaining("nack");
        }
    }

    @Test
    void whoIsNotLetInIsTold() throws Exception {
        ConnectionFactory stranger = factory();
        stranger.setPassword("wrong");
        try (RabbitMqSink sink = RabbitMqSink.connect(stranger)) {
            assertThatThrownBy(() -> sink.send(Message.of("points", "a/1", "1")))
                    .isInstanceOf(BackendUnavailableException.class)
                    .hasMessageContaining("ACCESS_REFUSED");
        }
    }
}
