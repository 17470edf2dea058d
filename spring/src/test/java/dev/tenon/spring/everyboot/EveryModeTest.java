package dev.tenon.spring.everyboot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.spring.TransactionalOutbox;
import dev.tenon.tx.Message;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.at.AtTransaction;
import dev.tenon.tx.at.AtTransactions;
import dev.tenon.tx.message.Outbox;
import dev.tenon.tx.message.ReliableMessages;
import dev.tenon.tx.saga.Sagas;
import dev.tenon.tx.spi.OutboxMessage;
import dev.tenon.tx.tcc.Tcc;
import dev.tenon.tx.tcc.TccBranch;
import dev.tenon.tx.tcc.TccTransaction;
import dev.tenon.tx.xa.Xa;
import dev.tenon.tx.xa.XaTransaction;
import java.net.URI;
import java.net.http.HttpRequest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.SmartLifecycle;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Each mode of transactions in an application of Spring Boot on a MariaDB, which has the log, and a PostgreSQL. Run on
 * both lines, as {@link EveryBackendTest} is.
 */
class EveryModeTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static BootApplication application;

    @BeforeAll
    static void start() throws SQLException {
        List<String> keys = new ArrayList<>(List.of(Bank.keys()));
        keys.addAll(List.of(
                "tenon.backend=jdbc",
                "tenon.transactions.automatic-undo=dataSource",
                "tenon.transactions.join=true",
                "tenon.notifications.secrets=" + Bank.SECRET));
        application = BootApplication.start(Bank.class, keys.toArray(String[]::new));
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @BeforeEach
    void everybodyHasHundred() {
        balances("dataSource").update("update balance set amount = 100");
        balances("savingsSource").update("update balance set amount = 100");
    }

    @Test
    void sagaAndItsEndpoint() throws Exception {
        TransactionId gid = new TransactionId("order-1");
        application.bean(Sagas.class).start("order", gid, "{\"card\":\"card-4711\"}");
        assertThat(await(gid)).isEqualTo(TransactionState.ABORTED);
        assertThat(application.get("/actuator/tenontransactions?state=aborted", 200))
                .contains("order-1");
        assertThat(application.get("/actuator/tenontransactions/order-1", 200))
                .contains("reserve", "no money", "\"service\":\"everyboot\"")
                .doesNotContain("card-4711");
        application.get("/actuator/tenontransactions/order-2", 404);
        String operator = "{\"action\":\"%s\",\"by\":\"ann\"}";
        assertThat(application.post("/actuator/tenontransactions/order-1", operator.formatted("delete"), 400))
                .contains("retry");
        application.post("/actuator/tenontransactions/order-1", operator.formatted("retry"), 200);
        assertThat(application.get("/actuator/metrics/tenon.transactions?tag=state:aborted", 200))
                .contains("saga");
        assertThat(application.get("/actuator/tenontransactions?stuck=true&kind=saga&olderThan=5m&error=money", 200))
                .contains("\"transactions\":[]");
        assertThat(application.get("/actuator/tenontransactions?service=everyboot&prefix=order-&youngerThan=PT1H", 200))
                .contains("order-1");
        application.get("/actuator/tenontransactions?after=order-1", 400);
        assertThat(application.post("/actuator/tenontransactions/order-1", operator.formatted("close"), 400))
                .contains("why");
        assertThat(application.get("/actuator/health", 200)).contains("\"transactions\":{\"stuck\":0,\"suspended\":0");
        assertThat(application.get("/actuator/metrics/tenon.transactions.stuck", 200))
                .contains("\"value\":0.0");
        assertThat(phase("tenonTransactionRecovery")).isLessThan(phase("webServerStartStop"));
    }

    @Test
    void tcc() throws Exception {
        Tcc tcc = application.bean(Tcc.class);
        TransactionId confirmed = new TransactionId("tcc-confirmed");
        try (TccTransaction tx = tcc.begin(confirmed, TccBranch.of("debit", "10"))) {
            tx.commit();
        }
        assertThat(await(confirmed)).isEqualTo(TransactionState.COMMITTED);
        TransactionId cancelled = new TransactionId("tcc-cancelled");
        tcc.begin(cancelled, TccBranch.of("debit", "10")).close();
        assertThat(await(cancelled)).isEqualTo(TransactionState.ABORTED);
        assertBalances(90, 100);
    }

    @Test
    void xa() throws SQLException {
        Xa xa = application.bean(Xa.class);
        try (XaTransaction tx = xa.begin()) {
            Bank.add(tx.connection("giro"), -30);
            Bank.add(tx.connection("savings"), 30);
            tx.commit();
        }
        assertBalances(70, 130);
        assertThatThrownBy(() -> {
                    try (XaTransaction tx = xa.begin()) {
                        Bank.add(tx.connection("savings"), 1000);
                        Bank.add(tx.connection("giro"), -1000);
                        tx.commit();
                    }
                })
                .isInstanceOf(SQLException.class);
        assertBalances(70, 130);
    }

    @Test
    void automaticUndo() throws Exception {
        AtTransactions undo = application.bean(AtTransactions.class);
        TransactionId gid;
        try (AtTransaction tx = undo.begin(PATIENCE)) {
            gid = tx.gid();
            Bank.add(tx.connection("ownRows"), -10);
            Bank.add(tx.connection("savingsRows"), 10);
            tx.commit();
        }
        assertBalances(90, 110);
        assertThat(await(gid)).isEqualTo(TransactionState.COMMITTED); // until then the rows are its own
        try (AtTransaction tx = undo.begin(PATIENCE)) {
            gid = tx.gid();
            Connection savings = tx.connection("savingsRows");
            Bank.add(savings, 10);
            savings.commit();
            assertBalances(90, 120);
        }
        assertThat(await(gid)).isEqualTo(TransactionState.ABORTED);
        assertBalances(90, 110);
    }

    @Test
    void globalTransaction() throws Exception {
        Bank.Global global = application.bean(Bank.Global.class);
        global.take(30, false);
        assertThatThrownBy(() -> global.take(30, true)).hasMessage("a mistake");
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> balances("dataSource")
                        .queryForObject("select amount from balance", Integer.class)
                        .equals(70));
        application.answer(
                HttpRequest.newBuilder(application.address("/hook"))
                        .header("Tenon-Transaction", "no part")
                        .POST(HttpRequest.BodyPublishers.noBody()),
                400);
    }

    @Test
    void outboxAndNotification() throws Exception {
        Bank.Transfers transfers = application.bean(Bank.Transfers.class);
        URI hook = application.address("/hook");
        assertThatThrownBy(() -> transfers.pay(1, hook, new TransactionId("failed"), true))
                .hasMessage("a mistake");
        TransactionId paid = new TransactionId("paid");
        transfers.pay(20, hook, paid, false);
        application.bean(Transactions.class).hurry(paid);
        assertThat(await(paid)).isEqualTo(TransactionState.COMMITTED);
        Awaitility.await().untilAsserted(() -> assertBalances(120, 100));
        // At least once: an answer that is late is none.
        assertThat(application.bean(Bank.Hook.class).got).isNotEmpty().containsOnly("{\"paid\":\"paid\"}");
        assertThat(application.bean(Transactions.class).find(new TransactionId("failed")))
                .isEmpty();
        assertThat(application.get("/actuator/metrics/tenon.outbox.lag", 200)).contains("\"value\":0.0");
    }

    @Test
    void deadLettersAndTheirEndpoint() throws Exception {
        TransactionTemplate transaction = new TransactionTemplate(application.bean(PlatformTransactionManager.class));
        for (String key : List.of("ann", "bob")) {
            transaction.executeWithoutResult(status -> application
                    .bean(TransactionalOutbox.class)
                    .send(Message.of("closed", "paid", "card-4711").withKey(key)));
        }
        String number = deadLetter("ann");
        String other = deadLetter("bob");
        assertThat(application.get("/actuator/tenonoutbox", 200))
                .contains("the account is closed", "\"failing\":true")
                .doesNotContain("card-4711");
        assertThat(application.get("/actuator/tenonoutbox/" + number, 200)).contains("\"what\":\"dead\"");
        application.get("/actuator/tenonoutbox/999999", 404);
        assertThat(application.get("/actuator/health", 200)).contains("\"status\":\"UP\"", "\"deadLetters\":2");
        assertThat(application.get("/actuator/metrics/tenon.outbox.dead.letters", 200))
                .contains("\"value\":2.0");
        String operator = "{\"action\":\"%s\",\"by\":\"ann\",\"reason\":\"she asked\"}";
        application.post("/actuator/tenonoutbox/" + number, operator.formatted("replay"), 200);
        assertThat(deadLetter("ann")).as("refused again").isEqualTo(number);
        assertThat(application.post("/actuator/tenonoutbox/" + number, operator.formatted("discard"), 200))
                .contains("discarded", "she asked");
        assertThat(application.post("/actuator/tenonoutbox/" + number, operator.formatted("discard"), 400))
                .contains("no dead letter");
        assertThat(application.post("/actuator/tenonoutbox", operator.formatted("discard"), 200))
                .contains(other);
        assertThat(application.get("/actuator/tenonoutbox?target=closed&after=0", 200))
                .contains("\"deadLetters\":[]");
    }

    @Test
    void reliableMessage() throws Exception {
        ReliableMessages messages = application.bean(ReliableMessages.class);
        TransactionId sent = messages.prepare(Message.of("points", "paid", "7"), PATIENCE);
        try (Connection connection =
                application.context().getBean("savingsSource", DataSource.class).getConnection()) {
            connection.setAutoCommit(false);
            Bank.add(connection, -7);
            messages.confirm(connection, sent);
            connection.commit();
        }
        messages.submit(sent);
        TransactionId never = messages.prepare(Message.of("points", "paid", "8"), Duration.ofMillis(1));
        assertThat(await(sent)).isEqualTo(TransactionState.COMMITTED);
        assertThat(await(never)).as("asked, and told no").isEqualTo(TransactionState.ABORTED);
        assertBalances(107, 93);
    }

    /** The number of the dead letter with this key. */
    private static String deadLetter(String key) {
        Outbox outbox = application.bean(Outbox.class);
        return Awaitility.await()
                .atMost(PATIENCE)
                .until(
                        () -> outbox.blocking("closed", key),
                        first -> first.filter(message -> message.state() == OutboxMessage.State.DEAD)
                                .isPresent())
                .map(message -> String.valueOf(message.number()))
                .orElseThrow();
    }

    private static int phase(String bean) {
        return application.context().getBean(bean, SmartLifecycle.class).getPhase();
    }

    private static TransactionState await(TransactionId gid) throws InterruptedException {
        return application.bean(Transactions.class).await(gid, PATIENCE).state();
    }

    private static void assertBalances(int own, int savings) {
        String query = "select amount from balance";
        assertThat(balances("dataSource").queryForObject(query, Integer.class)).isEqualTo(own);
        assertThat(balances("savingsSource").queryForObject(query, Integer.class))
                .isEqualTo(savings);
    }

    private static JdbcTemplate balances(String source) {
        return new JdbcTemplate(application.context().getBean(source, DataSource.class));
    }
}
