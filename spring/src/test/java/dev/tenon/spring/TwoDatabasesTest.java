package dev.tenon.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.at.AtTransaction;
import dev.tenon.tx.at.AtTransactions;
import dev.tenon.tx.notify.Notifications;
import dev.tenon.tx.notify.WebhookSignature;
import dev.tenon.tx.xa.Xa;
import dev.tenon.tx.xa.XaTransaction;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** XA, automatic undo and notifications as beans, on a MariaDB and a PostgreSQL. */
class TwoDatabasesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

    private static AnnotationConfigApplicationContext application;

    @BeforeAll
    static void start() throws SQLException {
        application = new AnnotationConfigApplicationContext();
        TestPropertyValues.of(TwoDatabases.keys())
                .and("tenon.backend=jdbc", "tenon.notifications.secrets[0]=" + SECRET)
                .applyTo(application);
        application.register(Application.class);
        application.register(Starter.autoConfigurations());
        application.refresh();
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @BeforeEach
    void everybodyHasHundred() {
        giro().update("UPDATE account SET balance = 100");
        savings().update("UPDATE account SET balance = 100");
    }

    @Test
    void theLogIsInTheApplicationsOwnDatabase() {
        assertThat(application.getBeanNamesForType(JdbcBackend.class)).contains("tenonJdbcBackend", "savingsBackend");
        assertThat(application.getBean(JdbcBackend.class)).isSameAs(application.getBean("tenonJdbcBackend"));
    }

    @Test
    void moneyGoesFromOneDatabaseToTheOther() throws SQLException {
        Bank bank = application.getBean(Bank.class);
        bank.save(30);
        assertBalances(70, 130);
        assertThatThrownBy(() -> bank.save(1000)).isInstanceOf(SQLException.class);
        assertBalances(70, 130);
        bank.saveCheaper(20);
        assertBalances(50, 150);
        assertThatThrownBy(() -> bank.saveCheaper(1000)).isInstanceOf(SQLException.class);
        assertBalances(50, 150);
    }

    @Test
    void whatIsNotCommittedIsUndone() throws Exception {
        AtTransactions undo = application.getBean(AtTransactions.class);
        Transactions transactions = application.getBean(Transactions.class);
        TransactionId gid;
        try (AtTransaction tx = undo.begin(PATIENCE)) {
            gid = tx.gid();
            add(tx.connection("orders"), -10);
            add(tx.connection("stock"), 10);
            tx.commit();
        }
        assertBalances(90, 110);
        // until then the rows are its own
        assertThat(transactions.await(gid, PATIENCE).state()).isEqualTo(TransactionState.COMMITTED);
        try (AtTransaction tx = undo.begin(PATIENCE)) {
            gid = tx.gid();
            Connection stock = tx.connection("stock");
            add(stock, 10);
            stock.commit();
            assertBalances(90, 120);
        }
        assertThat(transactions.await(gid, PATIENCE).state()).isEqualTo(TransactionState.ABORTED);
        assertBalances(90, 110);
    }

    @Test
    void aNotificationIsSentIfItsTransactionIsCommitted() throws Exception {
        BlockingQueue<String> got = new LinkedBlockingQueue<>();
        WebhookSignature signature = WebhookSignature.of(SECRET);
        HttpServer shop = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        shop.createContext("/", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            Map<String, List<String>> headers = exchange.getRequestHeaders();
            boolean valid = signature.isValid(
                    exchange.getRequestHeaders().getFirst(WebhookSignature.ID),
                    exchange.getRequestHeaders().getFirst(WebhookSignature.TIMESTAMP),
                    exchange.getRequestHeaders().getFirst(WebhookSignature.SIGNATURE),
                    body,
                    Instant.now());
            got.add(valid ? body : "not signed: " + headers);
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        shop.start();
        try {
            URI address = URI.create("http://localhost:" + shop.getAddress().getPort() + "/paid");
            Payments payments = application.getBean(Payments.class);
            new TransactionTemplate(application.getBean(PlatformTransactionManager.class))
                    .executeWithoutResult(status -> {
                        payments.pay(address, new TransactionId("paid-1"));
                        status.setRollbackOnly();
                    });
            payments.pay(address, new TransactionId("paid-2"));
            application.getBean(Transactions.class).hurry(new TransactionId("paid-2"));
            assertThat(got.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("{\"paid\":\"paid-2\"}");
            assertThat(got).isEmpty();
            assertThat(application.getBean(Transactions.class).find(new TransactionId("paid-1")))
                    .isEmpty();
        } finally {
            shop.stop(0);
        }
    }

    private static void assertBalances(int giro, int savings) {
        String query = "SELECT balance FROM account WHERE id = 1";
        assertThat(giro().queryForObject(query, Integer.class)).isEqualTo(giro);
        assertThat(savings().queryForObject(query, Integer.class)).isEqualTo(savings);
    }

    private static JdbcTemplate giro() {
        return new JdbcTemplate(application.getBean(DataSource.class));
    }

    private static JdbcTemplate savings() {
        return new JdbcTemplate(application.getBean("savingsSource", DataSource.class));
    }

    private static void add(Connection connection, int amount) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("UPDATE account SET balance = balance + ? WHERE id = 1")) {
            statement.setInt(1, amount);
            statement.executeUpdate();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    @ImportAutoConfiguration({DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class})
    @Import({TwoDatabases.class, Bank.class, Payments.class})
    static class Application {}

    static class Bank {
        private final Xa xa;
        private final DataSource giro;

        Bank(Xa xa, DataSource giro) {
            this.xa = xa;
            this.giro = giro;
        }

        // tag::transfer[]
        void save(int amount) throws SQLException { // without @Transactional: this is the transaction
            try (XaTransaction tx = xa.begin()) {
                add(tx.connection("giro"), -amount);
                add(tx.connection("savings"), amount);
                tx.commit();
            }
        }

        void saveCheaper(int amount) throws SQLException { // the last resource is the database that has the log
            try (Connection own = giro.getConnection()) {
                own.setAutoCommit(false);
                try (XaTransaction tx = xa.begin(own)) {
                    add(tx.connection("savings"), amount);
                    add(own, -amount);
                    tx.commit(); // commits own, too
                }
            }
        }
        // end::transfer[]
    }

    static class Payments {
        private final Notifications notifications;
        private final DataSource source;

        Payments(Notifications notifications, DataSource source) {
            this.notifications = notifications;
            this.source = source;
        }

        // tag::notify[]
        @Transactional
        public void pay(URI shop, TransactionId id) {
            // the business rows are changed here
            Connection connection = DataSourceUtils.getConnection(source); // that of @Transactional
            notifications.send(connection, id, shop, "{\"paid\":\"" + id.text() + "\"}");
        }
        // end::notify[]
    }
}
