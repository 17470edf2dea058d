package dev.tenon.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.BackendUnavailableException;
import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.testkit.MessageBrokerContract;
import dev.tenon.testkit.MessageBrokerFixture;
import dev.tenon.testkit.RocketMqServer;
import dev.tenon.tx.Barrier;
import dev.tenon.tx.LocalTransactions;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.message.ConsumerOptions;
import dev.tenon.tx.message.DeadLetter;
import dev.tenon.tx.message.Inbox;
import dev.tenon.tx.message.Message;
import dev.tenon.tx.message.MessageSink;
import dev.tenon.tx.message.Outbox;
import dev.tenon.tx.message.OutboxOptions;
import dev.tenon.tx.spi.OutboxStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.LocalTransactionState;
import org.apache.rocketmq.common.TopicConfig;
import org.apache.rocketmq.common.message.MessageAccessor;
import org.apache.rocketmq.common.message.MessageConst;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.sysflag.MessageSysFlag;
import org.apache.rocketmq.remoting.RPCHook;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.apache.rocketmq.remoting.protocol.RequestCode;
import org.apache.rocketmq.remoting.protocol.header.EndTransactionRequestHeader;
import org.apache.rocketmq.tools.admin.DefaultMQAdminExt;
import org.awaitility.Awaitility;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.JdbcTemplate;

/** Outbox, RocketMQ and inbox. */
class RocketMqTest extends MessageBrokerContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** For a broker that is there: its answers may be late, as the machine's are at times. */
    private static final int ANSWER_LIMIT_MILLIS = 20_000;

    private static RocketMqServer server;
    private static DefaultMQAdminExt tool;

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    private final JdbcBackend backend = JdbcBackend.connect(url);
    private final JdbcDataSource connections = new JdbcDataSource();

    RocketMqTest() {
        connections.setURL(url);
    }

    @BeforeAll
    static void startServer() throws Exception {
        server = RocketMqServer.start();
        tool = new DefaultMQAdminExt(ANSWER_LIMIT_MILLIS);
        tool.setNamesrvAddr(server.nameServers());
        tool.start();
    }

    @AfterAll
    static void stopServer() {
        tool.shutdown();
        server.close();
    }

    @AfterEach
    void close() {
        backend.close();
    }

    private static RocketMqCluster cluster() {
        ClientConfig settings = new ClientConfig();
        settings.setNamesrvAddr(server.nameServers());
        settings.setMqClientApiTimeout(ANSWER_LIMIT_MILLIS);
        settings.setPollNameServerInterval(1_000);
        settings.setHeartbeatBrokerInterval(500);
        settings.setPullTimeDelayMillsWhenException(200);
        return RocketMqCluster.of(settings);
    }

    private static final class Broker implements MessageBrokerFixture {
        @Override
        public void create(String target) throws Exception {
            for (String topic : List.of(target, OPTIONS.deadLettersOf(target))) {
                // An answer that is late changes nothing if it is asked for again.
                Awaitility.await().atMost(PATIENCE).ignoreExceptions().until(() -> {
                    tool.createAndUpdateTopicConfig(server.broker(), new TopicConfig(topic, 2, 2));
                    return true;
                });
            }
            // What the broker has made is known to the name server a little later.
            for (String topic : List.of(target, OPTIONS.deadLettersOf(target))) {
                Awaitility.await()
                        .atMost(PATIENCE)
                        .ignoreExceptions()
                        .until(() -> !tool.examineTopicRouteInfo(topic)
                                .getQueueDatas()
                                .isEmpty());
            }
        }

        @Override
        public MessageSink sink() {
            return RocketMqSink.connect(cluster());
        }

        @Override
        public AutoCloseable receiver(String target, MessageSink handler, ConsumerOptions options) {
            return RocketMqReceiver.start(cluster(), target, handler, options);
        }

        @Override
        public List<DeadLetter> deadLetters(String target) {
            return RocketMqDeadLetters.of(cluster(), target, OPTIONS).list(10);
        }

        @Override
        public int replay(String target, int limit, String by) throws InterruptedException {
            return RocketMqDeadLetters.of(cluster(), target, OPTIONS).replay(limit, by);
        }

        @Override
        public void kill() {
            server.kill();
        }

        @Override
        public void restart() {
            server.restart();
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
    void ordersAndPointsAsTheDocsSay() throws Exception {
        broker().create("orders-paid");
        execute("CREATE TABLE points (customer VARCHAR(100) PRIMARY KEY, number INT)");
        execute("INSERT INTO points VALUES ('ann', 0)");
        RocketMqCluster rocketMq = cluster();
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
            Awaitility.await().atMost(PATIENCE).until(() -> points() == 30);
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
        broker().create("large");
        Message message = Message.of("large", "a/1", "x");
        try (RocketMqSink sink = RocketMqSink.connect(cluster())) {
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
        assertThatThrownBy(() ->
                        RocketMqReceiver.start(cluster(), "large", it -> Reply.done(), ConsumerOptions.of("no group!")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aMessageOfAnotherSenderIsKnownByRocketMqsOwnId() throws Exception {
        broker().create("foreign");
        Queue<Message> taken = new ConcurrentLinkedQueue<>();
        DefaultMQProducer producer = new DefaultMQProducer("strangers");
        producer.setNamesrvAddr(server.nameServers());
        producer.start();
        try (RocketMqReceiver receiver =
                RocketMqReceiver.start(cluster(), "foreign", collector(taken), MessageBrokerFixture.OPTIONS)) {
            org.apache.rocketmq.common.message.Message one =
                    new org.apache.rocketmq.common.message.Message("foreign", "paid", new byte[] {'5'});
            MessageAccessor.putProperty(one, MessageConst.PROPERTY_SHARDING_KEY, "ann");
            one.putUserProperty("number", "5");
            String id = producer.send(one).getMsgId();
            one = new org.apache.rocketmq.common.message.Message("foreign", new byte[] {'6'});
            one.putUserProperty("tenon-id", "not an id!");
            producer.send(one);
            Awaitility.await().atMost(PATIENCE).until(() -> !taken.isEmpty());
            assertThat(taken)
                    .containsExactly(Message.of("foreign", "paid", "5")
                            .withId(id)
                            .withKey("ann")
                            .withHeader("number", "5"));
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> !broker().deadLetters("foreign").isEmpty());
            assertThat(broker().deadLetters("foreign").get(0).text()).isEqualTo("6");
            assertThat(receiver.trouble()).isEmpty();
        } finally {
            producer.shutdown();
        }
    }

    private static MessageSink collector(Queue<Message> taken) {
        return message -> {
            taken.add(message);
            return Reply.done();
        };
    }

    /** Loses what tells the broker how a local transaction has ended, and counts the check-backs that were answered "not known". */
    private static final class EndHook implements RPCHook {
        private volatile boolean lost;
        private final AtomicInteger unknown = new AtomicInteger();

        @Override
        public void doBeforeRequest(String broker, RemotingCommand request) {
            if (request.getCode() != RequestCode.END_TRANSACTION) {
                return;
            }
            EndTransactionRequestHeader end = (EndTransactionRequestHeader) request.readCustomHeader();
            if (end.getFromTransactionCheck() && end.getCommitOrRollback() == MessageSysFlag.TRANSACTION_NOT_TYPE) {
                unknown.incrementAndGet();
            }
            if (lost) {
                throw new IllegalStateException("lost");
            }
        }

        @Override
        public void doAfterResponse(String broker, RemotingCommand request, RemotingCommand response) {}
    }

    private RocketMqReliableMessages reliable(String topic, EndHook hook) {
        return reliable("shop-" + topic, topic, hook);
    }

    private RocketMqReliableMessages reliable(String group, String topic, EndHook hook) {
        return RocketMqReliableMessages.start(
                cluster().withHook(hook), group, Set.of(topic), LocalTransactions.of(connections), backend.barrier());
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

    /** Waits until one message has come: the one that was sent last, so that those that must not come have had their time. */
    private static List<String> takenUntil(String topic, String last) {
        Queue<Message> taken = new ConcurrentLinkedQueue<>();
        try (RocketMqReceiver receiver =
                RocketMqReceiver.start(cluster(), topic, collector(taken), MessageBrokerFixture.OPTIONS)) {
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> taken.stream().anyMatch(message -> message.id().equals(last)));
            assertThat(receiver.trouble()).isEmpty();
        }
        return taken.stream().map(Message::id).distinct().toList();
    }

    @Test
    void whatIsCommittedIsSentAndWhatIsRolledBackIsNot() throws Exception {
        broker().create("plain");
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
        broker().create("lost");
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
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertThatThrownBy(
                                    () -> another.send(failed, open -> Reply.refused("not checked yet")))
                            .isInstanceOf(TransactionAbortedException.class));
            assertThat(another.trouble()).isEmpty();
        }
        assertThat(orders()).containsExactly("paid");
    }

    @Test
    void aBrokerThatIsKilledBetweenHalfMessageAndEndSendsItAfterAll() throws Exception {
        broker().create("killed");
        Message paid = message("killed", "paid");
        try (RocketMqReliableMessages messages = reliable("killed", new EndHook())) {
            assertThat(messages.send(paid, open -> {
                        server.kill();
                        return order(open, paid);
                    }))
                    .isEqualTo(Reply.done());
            assertThatThrownBy(() -> messages.send(message("killed", "no-half"), open -> order(open, paid)))
                    .isInstanceOf(BackendUnavailableException.class)
                    .hasMessageContaining("killed");
            assertThatThrownBy(() -> reliable("killed", new EndHook())).isInstanceOf(BackendUnavailableException.class);
            server.restart();
            assertThat(takenUntil("killed", "paid")).containsExactly("paid");
            assertThat(messages.trouble()).isEmpty();
        }
        assertThat(orders()).containsExactly("paid");
    }

    @Test
    void aCheckBeforeTheLocalCommitIsNeverToldNo() throws Exception {
        broker().create("early");
        EndHook hook = new EndHook();
        Message paid = message("early", "paid");
        try (RocketMqReliableMessages messages = reliable("early", hook);
                RocketMqReliableMessages another = reliable("shop-2", "early", new EndHook())) {
            assertThat(messages.send(paid, open -> {
                        Awaitility.await().atMost(PATIENCE).until(() -> hook.unknown.get() >= 2);
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
        broker().create("late");
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

    @Test
    void whatASpringApplicationHasCommittedIsSentByTheNextOneThatStarts() throws Exception {
        broker().create("orders-taken");
        JdbcDataSource database = new JdbcDataSource();
        database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        database.setUser("sa");
        JdbcTemplate jdbc = new JdbcTemplate(database);
        jdbc.execute("CREATE TABLE orders (id BIGINT PRIMARY KEY, points INT CHECK (points > 0))");
        jdbc.execute("CREATE TABLE points (customer VARCHAR(100) PRIMARY KEY, number INT)");
        jdbc.execute("INSERT INTO points VALUES ('ann', 0)");
        EndHook hook = new EndHook();
        hook.lost = true; // as if it were killed between its commit and the end that it tells
        try (ConfigurableApplicationContext shop = SpringShop.run(cluster().withHook(hook), database)) {
            SpringShop.Desk desk = shop.getBean(SpringShop.Desk.class);
            desk.take(1, "ann", 30);
            assertThatThrownBy(() -> desk.take(2, "ann", -5)).isInstanceOf(DataIntegrityViolationException.class);
        }
        try (ConfigurableApplicationContext shop = SpringShop.run(cluster(), database)) {
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> jdbc.queryForList("SELECT number FROM points", Integer.class), List.of(30)::equals);
            SpringShop.Desk desk = shop.getBean(SpringShop.Desk.class);
            Awaitility.await() // the answer for the other one is no, and stays it
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertThatThrownBy(() -> desk.take(2, "ann", -5))
                            .isInstanceOf(TransactionAbortedException.class));
            assertThat(jdbc.queryForList("SELECT id FROM orders", Long.class)).containsExactly(1L);
            assertThat(shop.getBean(RocketMqReliableMessages.class).trouble()).isEmpty();
            assertThat(shop.getBean(RocketMqReceiver.class).trouble()).isEmpty();
        }
    }

    private static MessageExt half(String id) {
        MessageExt half = new MessageExt();
        MessageAccessor.putProperty(half, "tenon-id", id);
        return half;
    }
}
