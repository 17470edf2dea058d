package dev.tenon.rocketmq;

import dev.tenon.tx.Barrier;
import dev.tenon.tx.LocalTransactions;
import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import dev.tenon.tx.message.ConsumerOptions;
import dev.tenon.tx.message.Inbox;
import dev.tenon.tx.message.MessageSink;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Set;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/** A Spring application whose messages are RocketMQ's transactional ones, and whose points are given for them. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(SpringShop.Desk.class)
class SpringShop {
    /** Starts it; the application's database has the rows of the barrier, too. */
    static ConfigurableApplicationContext run(RocketMqCluster rocketMq, JdbcDataSource database) {
        return new SpringApplicationBuilder(SpringShop.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.main.banner-mode=off",
                        "spring.main.log-startup-info=false",
                        "spring.application.name=shop",
                        "spring.datasource.url=" + database.getURL(),
                        "tenon.jdbc.allow-in-memory-database=true",
                        "tenon.backend=jdbc")
                .initializers(context ->
                        ((GenericApplicationContext) context).registerBean(RocketMqCluster.class, () -> rocketMq))
                .run();
    }

    // tag::beans[]
    @Bean
    RocketMqReliableMessages orderMessages(RocketMqCluster rocketMq, LocalTransactions local, Barrier barrier) {
        return RocketMqReliableMessages.start( // answers the check-backs of those that died, too
                rocketMq, // RocketMqCluster.at("mq-1:9876;mq-2:9876")
                "order-desk", // whoever has this name answers for this database
                Set.of("orders-taken"),
                local,
                barrier);
    }

    @Bean
    RocketMqReceiver points(RocketMqCluster rocketMq, DataSource source, Barrier barrier) {
        MessageSink handler = Inbox.over(barrier, "points").handler(source, (connection, message) -> {
            givePoints(connection, message);
            return Reply.done();
        });
        return RocketMqReceiver.start(rocketMq, "orders-taken", handler, ConsumerOptions.of("order-points"));
    }
    // end::beans[]

    private static void givePoints(Connection connection, Message message) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE points SET number = number + ? WHERE customer = ?")) {
            update.setInt(1, Integer.parseInt(message.text()));
            update.setString(2, message.key().orElseThrow());
            update.executeUpdate();
        }
    }

    /** Takes orders. */
    static class Desk {
        private final RocketMqReliableMessages messages;
        private final JdbcTemplate jdbc;

        Desk(RocketMqReliableMessages messages, JdbcTemplate jdbc) {
            this.messages = messages;
            this.jdbc = jdbc;
        }

        // tag::send[]
        void take(long order, String customer, int points) throws Exception { // without @Transactional
            Message taken = Message.of("orders-taken", "order-taken/1", Integer.toString(points))
                    .withId("order-" + order + "-taken")
                    .withKey(customer);
            // In a transaction of Spring's, which begins and ends here:
            messages.send(taken, connection -> {
                jdbc.update("INSERT INTO orders VALUES (?, ?)", order, points);
                return Reply.done();
            });
        }
        // end::send[]
    }
}
