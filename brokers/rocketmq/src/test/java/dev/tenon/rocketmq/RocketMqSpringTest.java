package dev.tenon.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.tx.TransactionAbortedException;
import java.util.List;
import java.util.UUID;
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
    private static RocketMqBroker broker;

    @BeforeAll
    static void startServer() throws Exception {
        broker = new RocketMqBroker();
    }

    @AfterAll
    static void stopServer() {
        broker.close();
    }

    @Test
    void whatASpringApplicationHasCommittedIsSentByTheNextOneThatStarts() throws Exception {
        broker.create("orders-taken");
        JdbcDataSource database = new JdbcDataSource();
        database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        database.setUser("sa");
        JdbcTemplate jdbc = new JdbcTemplate(database);
        jdbc.execute("CREATE TABLE orders (id BIGINT PRIMARY KEY, points INT CHECK (points > 0))");
        jdbc.execute("CREATE TABLE points (customer VARCHAR(100) PRIMARY KEY, number INT)");
        jdbc.execute("INSERT INTO points VALUES ('ann', 0)");
        EndHook hook = new EndHook();
        hook.lost = true; // as if it were killed between its commit and the end that it tells
        try (ConfigurableApplicationContext shop =
                SpringShop.run(broker.cluster().withHook(hook), database)) {
            SpringShop.Desk desk = shop.getBean(SpringShop.Desk.class);
            desk.take(1, "ann", 30);
            assertThatThrownBy(() -> desk.take(2, "ann", -5)).isInstanceOf(DataIntegrityViolationException.class);
        }
        try (ConfigurableApplicationContext shop = SpringShop.run(broker.cluster(), database)) {
            Awaitility.await()
                    .atMost(RocketMqBroker.PATIENCE)
                    .until(() -> jdbc.queryForList("SELECT number FROM points", Integer.class), List.of(30)::equals);
            SpringShop.Desk desk = shop.getBean(SpringShop.Desk.class);
            Awaitility.await() // the answer for the other one is no, and stays it
                    .atMost(RocketMqBroker.PATIENCE)
                    .untilAsserted(() -> assertThatThrownBy(() -> desk.take(2, "ann", -5))
                            .isInstanceOf(TransactionAbortedException.class));
            assertThat(jdbc.queryForList("SELECT id FROM orders", Long.class)).containsExactly(1L);
            assertThat(shop.getBean(RocketMqReliableMessages.class).trouble()).isEmpty();
            assertThat(shop.getBean(RocketMqReceiver.class).trouble()).isEmpty();
        }
    }
}
