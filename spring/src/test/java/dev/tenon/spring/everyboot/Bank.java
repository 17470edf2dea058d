package dev.tenon.spring.everyboot;

import com.zaxxer.hikari.HikariDataSource;
import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.spring.GlobalTransaction;
import dev.tenon.spring.TransactionalOutbox;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.tx.Barrier;
import dev.tenon.tx.LocalParticipant;
import dev.tenon.tx.LocalTransactions;
import dev.tenon.tx.Message;
import dev.tenon.tx.Participants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.at.AtResource;
import dev.tenon.tx.message.Inbox;
import dev.tenon.tx.message.MessageHandlers;
import dev.tenon.tx.message.MessageSink;
import dev.tenon.tx.message.ReliableMessages;
import dev.tenon.tx.notify.Notifications;
import dev.tenon.tx.notify.WebhookSignature;
import dev.tenon.tx.saga.Saga;
import dev.tenon.tx.tcc.TccParticipant;
import dev.tenon.tx.xa.XaDatabase;
import java.net.URI;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import javax.sql.DataSource;
import org.mariadb.jdbc.MariaDbDataSource;
import org.postgresql.xa.PGXADataSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

/**
 * Every mode of transactions as beans: the application's own database has the log and an account, a second one another
 * account.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({Bank.Transfers.class, Bank.Global.class, Bank.Hook.class})
class Bank {
    static final String SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

    @Bean(defaultCandidate = false, destroyMethod = "close")
    HikariDataSource savingsSource(Environment keys) {
        HikariDataSource source = new HikariDataSource();
        source.setJdbcUrl(keys.getProperty("savings.url"));
        source.setUsername(keys.getProperty("savings.user"));
        source.setPassword(keys.getProperty("savings.password"));
        return source;
    }

    @Bean(defaultCandidate = false)
    JdbcBackend savingsBackend(@Qualifier("savingsSource") DataSource source) {
        return JdbcBackend.over(source);
    }

    @Bean
    XaDatabase giro(Environment keys, JdbcBackend backend) throws SQLException {
        MariaDbDataSource source = new MariaDbDataSource(keys.getProperty("spring.datasource.url"));
        source.setUser(keys.getProperty("spring.datasource.username"));
        source.setPassword(keys.getProperty("spring.datasource.password"));
        return XaDatabase.of(source, backend.barrierStore());
    }

    @Bean
    XaDatabase savings(Environment keys, @Qualifier("savingsBackend") JdbcBackend backend) {
        PGXADataSource source = new PGXADataSource();
        source.setUrl(keys.getProperty("savings.url"));
        source.setUser(keys.getProperty("savings.user"));
        source.setPassword(keys.getProperty("savings.password"));
        return XaDatabase.of(source, backend.barrierStore());
    }

    @Bean
    AtResource ownRows(DataSource source, JdbcBackend backend) {
        return backend.autoUndo(source);
    }

    @Bean
    AtResource savingsRows(
            @Qualifier("savingsSource") DataSource source, @Qualifier("savingsBackend") JdbcBackend backend) {
        return backend.autoUndo(source);
    }

    /** Money is taken by the try, and given back by the cancel. */
    @Bean
    TccParticipant debit(LocalTransactions transactions, Barrier barrier) {
        LocalParticipant account = LocalParticipant.of(transactions, barrier, (connection, call) -> {
            int amount = Integer.parseInt(call.payload());
            switch (call.operation()) {
                case TRY -> add(connection, -amount);
                case CANCEL -> add(connection, amount);
                default -> {} // a confirm has nothing left to do
            }
            return Reply.done();
        });
        return TccParticipant.of(account, account, account);
    }

    @Bean
    Saga parcel() {
        return Saga.named("order", 1)
                .step("reserve", call -> Reply.done(), call -> Reply.done())
                .step("pay", call -> Reply.refused("no money"), call -> Reply.done())
                .after("reserve")
                .build();
    }

    @Bean
    MessageSink handlers(Barrier barrier, DataSource source) {
        Inbox inbox = Inbox.over(barrier, "points");
        return MessageHandlers.none()
                .with("points", inbox.handler(source, (connection, message) -> {
                    add(connection, Integer.parseInt(message.text()));
                    return Reply.done();
                }))
                .with("closed", message -> Reply.refused("the account is closed"));
    }

    /** Messages with check-back: who is asked is the second database. */
    @Bean
    Participants checkBack(
            @Qualifier("savingsSource") DataSource source,
            @Qualifier("savingsBackend") JdbcBackend backend,
            MessageSink sink) {
        return ReliableMessages.participants(source, backend.barrier(), sink);
    }

    @Bean
    ReliableMessages reliableMessages(Transactions transactions, @Qualifier("savingsBackend") JdbcBackend backend) {
        return ReliableMessages.over(transactions, backend.barrier());
    }

    /** Where both are, with an account of 100 in each. */
    static String[] keys() throws SQLException {
        SqlAddress giro = MariaDbServer.shared().newDatabase();
        SqlAddress savings = PostgresServer.shared().newDatabase();
        for (SqlAddress database : List.of(giro, savings)) {
            try (Connection connection = database.connect();
                    Statement statement = connection.createStatement()) {
                statement.execute("create table balance (id int primary key, amount int check (amount >= 0))");
                statement.execute("insert into balance values (1, 100)");
            }
        }
        return new String[] {
            "spring.datasource.url=" + giro.url(),
            "spring.datasource.username=" + giro.user(),
            "spring.datasource.password=" + giro.password(),
            "savings.url=" + savings.url(),
            "savings.user=" + savings.user(),
            "savings.password=" + savings.password()
        };
    }

    static void add(Connection connection, int amount) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("update balance set amount = amount + ? where id = 1")) {
            statement.setInt(1, amount);
            statement.executeUpdate();
        }
    }

    /** What is part of a transaction of Spring's, which is one of JPA in spring/boot3. */
    static class Transfers {
        private final TransactionalOutbox outbox;
        private final Notifications notifications;
        private final DataSource source;

        Transfers(TransactionalOutbox outbox, Notifications notifications, DataSource source) {
            this.outbox = outbox;
            this.notifications = notifications;
            this.source = source;
        }

        @Transactional
        public void pay(int amount, URI hook, TransactionId id, boolean fails) {
            outbox.send(Message.of("points", "paid", Integer.toString(amount)));
            notifications.send(DataSourceUtils.getConnection(source), id, hook, "{\"paid\":\"" + id.text() + "\"}");
            if (fails) {
                throw new IllegalStateException("a mistake");
            }
        }
    }

    /** What is undone together. */
    static class Global {
        private final JdbcTemplate jdbc;

        Global(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @GlobalTransaction
        @Transactional
        public void take(int amount, boolean fails) {
            jdbc.update("update balance set amount = amount - ? where id = 1", amount);
            if (fails) {
                throw new IllegalStateException("a mistake");
            }
        }
    }

    /** Whoever is notified. */
    @RestController
    static class Hook {
        final BlockingQueue<String> got = new LinkedBlockingQueue<>();

        @PostMapping("/hook")
        void take(
                @RequestHeader(WebhookSignature.ID) String id,
                @RequestHeader(WebhookSignature.TIMESTAMP) String timestamp,
                @RequestHeader(WebhookSignature.SIGNATURE) String signature,
                @RequestBody String body) {
            boolean valid = WebhookSignature.of(SECRET).isValid(id, timestamp, signature, body, Instant.now());
            got.add(valid ? body : "not signed: " + body);
        }
    }
}
