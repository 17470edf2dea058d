package dev.tenon.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.testkit.RocketMqServer;
import dev.tenon.tx.TransactionAbortedException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.common.TopicConfig;
import org.apache.rocketmq.remoting.RPCHook;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.apache.rocketmq.remoting.protocol.RequestCode;
import org.apache.rocketmq.tools.admin.DefaultMQAdminExt;
import org.awaitility.Awaitility;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.JdbcTemplate;

/** {@link SpringShop} is killed, and started again. */
class RocketMqSpringTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int ANSWER_LIMIT_MILLIS = 20_000;

    private static RocketMqServer server;

    @BeforeAll
    static void startServer() {
        server = RocketMqServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Test
    void whatASpringApplicationHasCommittedIsSentByTheNextOneThatStarts() throws Exception {
        create("orders-taken");
        create("orders-taken-dead");
        JdbcDataSource database = new JdbcDataSource();
        database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        database.setUser("sa");
        JdbcTemplate jdbc = new JdbcTemplate(database);
        jdbc.execute("CREATE TABLE orders (id BIGINT PRIMARY KEY, points INT CHECK (points > 0))");
        jdbc.execute("CREATE TABLE points (customer VARCHAR(100) PRIMARY KEY, number INT)");
        jdbc.execute("INSERT INTO points VALUES ('ann', 0)");
        try (ConfigurableApplicationContext shop = SpringShop.run(cluster().withHook(new EndIsLost()), database)) {
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

    private static RocketMqCluster cluster() {
        ClientConfig settings = new ClientConfig();
        settings.setNamesrvAddr(server.nameServers());
        settings.setMqClientApiTimeout(ANSWER_LIMIT_MILLIS);
        settings.setPollNameServerInterval(1_000);
        settings.setHeartbeatBrokerInterval(500);
        return RocketMqCluster.of(settings);
    }

    private static void create(String topic) throws MQClientException {
        DefaultMQAdminExt tool = new DefaultMQAdminExt(ANSWER_LIMIT_MILLIS);
        tool.setNamesrvAddr(server.nameServers());
        tool.start();
        try {
            // An answer that is late changes nothing if it is asked for again, and the name server hears of a topic a
            // little later.
            Awaitility.await().atMost(PATIENCE).ignoreExceptions().until(() -> {
                tool.createAndUpdateTopicConfig(server.broker(), new TopicConfig(topic, 2, 2));
                return !tool.examineTopicRouteInfo(topic).getQueueDatas().isEmpty();
            });
        } finally {
            tool.shutdown();
        }
    }

    /** As if the application were killed between its commit and the end that it tells the broker. */
    private static final class EndIsLost implements RPCHook {
        @Override
        public void doBeforeRequest(String broker, RemotingCommand request) {
            if (request.getCode() == RequestCode.END_TRANSACTION) {
                throw new IllegalStateException("lost");
            }
        }

        @Override
        public void doAfterResponse(String broker, RemotingCommand request, RemotingCommand response) {}
    }
}
