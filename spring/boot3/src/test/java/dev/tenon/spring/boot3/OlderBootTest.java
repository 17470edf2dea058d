package dev.tenon.spring.boot3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.hibernate.TenonId;
import dev.tenon.id.IdGenerator;
import dev.tenon.jackson.PublicId;
import dev.tenon.lock.Locks;
import dev.tenon.spring.CurrentLease;
import dev.tenon.spring.Locked;
import dev.tenon.spring.TransactionalOutbox;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.at.AtTransaction;
import dev.tenon.tx.at.AtTransactions;
import dev.tenon.tx.message.Message;
import dev.tenon.tx.message.Outbox;
import dev.tenon.tx.saga.Sagas;
import dev.tenon.tx.spi.OutboxMessage;
import dev.tenon.tx.tcc.Tcc;
import dev.tenon.tx.tcc.TccBranch;
import dev.tenon.tx.tcc.TccTransaction;
import dev.tenon.tx.xa.Xa;
import dev.tenon.tx.xa.XaTransaction;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** The starter in an application of the line of Spring Boot before: each part once. */
class OlderBootTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static ConfigurableApplicationContext application;

    @BeforeAll
    static void start() {
        application = new SpringApplicationBuilder(Application.class)
                .properties(
                        "server.port=0",
                        "spring.main.banner-mode=off",
                        "tenon.jdbc.allow-in-memory-database=true",
                        "spring.datasource.url=jdbc:h2:mem:older",
                        "spring.application.name=older",
                        "management.endpoints.web.exposure.include=health,tenon,tenontransactions,tenonoutbox,metrics",
                        "management.endpoint.tenontransactions.access=unrestricted",
                        "management.endpoint.tenonoutbox.access=unrestricted",
                        "management.endpoint.health.show-details=always",
                        "server.error.include-message=always",
                        "tenon.transactions.automatic-undo=dataSource",
                        "tenon.transactions.join=true",
                        "tenon.ids.order.kind=snowflake",
                        "tenon.notifications.secrets=" + Bank.SECRET,
                        "tenon.public-ids.order.prefix=ord",
                        "tenon.public-ids.order.keys.1=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
                .run();
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
    void itIsTheLineBefore() {
        assertThat(SpringBootVersion.getVersion()).startsWith("3.5.");
    }

    @Test
    void methodsAreLockedRoundTheirTransaction() {
        Account account = application.getBean(Account.class);
        account.add("a", 2, () -> assertThat(held("account:a")).isTrue());
        assertThat(held("account:a")).isFalse();
        JdbcTemplate jdbc = application.getBean(JdbcTemplate.class);
        assertThat(jdbc.queryForObject("select balance from account", Long.class))
                .isEqualTo(2);
        assertThatThrownBy(() -> account.add("a", 2, () -> {
                    throw new IllegalStateException("a mistake");
                }))
                .hasMessage("a mistake");
        assertThat(jdbc.queryForObject("select balance from account", Long.class))
                .isEqualTo(2);
    }

    @Test
    void aGlobalTransactionIsRoundThatOfJpa() throws Exception {
        Bank.Global global = application.getBean(Bank.Global.class);
        global.take(30, false);
        assertThatThrownBy(() -> global.take(30, true)).hasMessage("a mistake");
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> balances("dataSource")
                        .queryForObject("select amount from balance", Integer.class)
                        .equals(70));
        answer(
                HttpRequest.newBuilder(address("/hook"))
                        .header("Tenon-Transaction", "no part")
                        .POST(HttpRequest.BodyPublishers.noBody()),
                400);
    }

    @Test
    void numbersArePublicIdsOutside() throws Exception {
        String id = get("/new", 200).replace("\"", "").replaceAll(".*id:(ord_\\w{13}).*", "$1");
        assertThat(id).startsWith("ord_");
        assertThat(get("/orders/" + id, 200))
                .isEqualTo("{\"id\":\"%s\",\"together\":[\"%s\",\"%s\"]}".formatted(id, id, id));
        get("/orders/17", 400);
    }

    @Test
    void operatorsSeeWhatThereIs() throws Exception {
        get("/new", 200);
        assertThat(get("/actuator/health", 200)).contains("\"tenon\":{\"status\":\"UP\"", "\"backend\":\"jdbc\"");
        assertThat(get("/actuator/tenon", 200)).contains("\"kind\":\"snowflake\"");
        assertThat(get("/actuator/metrics/tenon.ids.issued", 200)).contains("order");
    }

    @Test
    void entitiesHaveIdentifiers() {
        try (EntityManager entities =
                application.getBean(EntityManagerFactory.class).createEntityManager()) {
            assertThat(org.hibernate.Version.getVersionString()).startsWith("6.");
            Parcel parcel = new Parcel();
            entities.getTransaction().begin();
            entities.persist(parcel);
            entities.getTransaction().commit();
            assertThat(application.getBean(JdbcTemplate.class).queryForObject("select id from parcel", Long.class))
                    .isEqualTo(parcel.id)
                    .isPositive();
        }
    }

    @Test
    void moneyGoesFromOneDatabaseToTheOther() throws SQLException {
        Xa xa = application.getBean(Xa.class);
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
    void whatIsNotCommittedIsUndone() throws Exception {
        AtTransactions undo = application.getBean(AtTransactions.class);
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
    void whatIsTriedIsConfirmedOrCancelled() throws Exception {
        Tcc tcc = application.getBean(Tcc.class);
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
    void messagesAndNotificationsArePartOfTheTransactionOfJpa() throws Exception {
        Bank.Transfers transfers = application.getBean(Bank.Transfers.class);
        URI hook = address("/hook");
        assertThatThrownBy(() -> transfers.pay(1, hook, new TransactionId("failed"), true))
                .hasMessage("a mistake");
        TransactionId paid = new TransactionId("paid");
        transfers.pay(20, hook, paid, false);
        application.getBean(Transactions.class).hurry(paid);
        assertThat(await(paid)).isEqualTo(TransactionState.COMMITTED);
        Awaitility.await().untilAsserted(() -> assertBalances(120, 100));
        // At least once: an answer that is late is none.
        assertThat(application.getBean(Bank.Hook.class).got).isNotEmpty().containsOnly("{\"paid\":\"paid\"}");
        assertThat(application.getBean(Transactions.class).find(new TransactionId("failed")))
                .isEmpty();
        assertThat(get("/actuator/metrics/tenon.outbox.lag", 200)).contains("\"value\":0.0");
    }

    @Test
    void operatorsSeeTransactions() throws Exception {
        TransactionId gid = new TransactionId("order-1");
        application.getBean(Sagas.class).start("order", gid, "{\"card\":\"card-4711\"}");
        assertThat(await(gid)).isEqualTo(TransactionState.ABORTED);
        assertThat(get("/actuator/tenontransactions?state=aborted", 200)).contains("order-1");
        assertThat(get("/actuator/tenontransactions/order-1", 200))
                .contains("reserve", "no money", "\"service\":\"older\"")
                .doesNotContain("card-4711");
        get("/actuator/tenontransactions/order-2", 404);
        String operator = "{\"action\":\"%s\",\"by\":\"ann\"}";
        assertThat(post("/actuator/tenontransactions/order-1", operator.formatted("delete"), 400))
                .contains("retry");
        post("/actuator/tenontransactions/order-1", operator.formatted("retry"), 200);
        assertThat(get("/actuator/metrics/tenon.transactions?tag=state:aborted", 200))
                .contains("saga");
        assertThat(get("/actuator/tenontransactions?stuck=true&kind=saga&olderThan=5m&error=money", 200))
                .contains("\"transactions\":[]");
        assertThat(get("/actuator/tenontransactions?service=older&prefix=order-&youngerThan=PT1H", 200))
                .contains("order-1");
        get("/actuator/tenontransactions?after=order-1", 400);
        assertThat(post("/actuator/tenontransactions/order-1", operator.formatted("close"), 400))
                .contains("why");
        assertThat(get("/actuator/health", 200)).contains("\"transactions\":{\"stuck\":0,\"suspended\":0");
        assertThat(get("/actuator/metrics/tenon.transactions.stuck", 200)).contains("\"value\":0.0");
        assertThat(phase("tenonTransactionRecovery")).isLessThan(phase("webServerStartStop"));
    }

    @Test
    void operatorsEndWhatTheOutboxGaveUp() throws Exception {
        TransactionTemplate transaction =
                new TransactionTemplate(application.getBean(PlatformTransactionManager.class));
        for (String key : List.of("ann", "bob")) {
            transaction.executeWithoutResult(status -> application
                    .getBean(TransactionalOutbox.class)
                    .send(Message.of("closed", "paid", "card-4711").withKey(key)));
        }
        String number = deadLetter("ann");
        String other = deadLetter("bob");
        assertThat(get("/actuator/tenonoutbox", 200))
                .contains("the account is closed", "\"failing\":true")
                .doesNotContain("card-4711");
        assertThat(get("/actuator/tenonoutbox/" + number, 200)).contains("\"what\":\"dead\"");
        get("/actuator/tenonoutbox/999999", 404);
        assertThat(get("/actuator/health", 200)).contains("\"status\":\"UP\"", "\"deadLetters\":2");
        assertThat(get("/actuator/metrics/tenon.outbox.dead.letters", 200)).contains("\"value\":2.0");
        String operator = "{\"action\":\"%s\",\"by\":\"ann\",\"reason\":\"she asked\"}";
        post("/actuator/tenonoutbox/" + number, operator.formatted("replay"), 200);
        assertThat(deadLetter("ann")).as("refused again").isEqualTo(number);
        assertThat(post("/actuator/tenonoutbox/" + number, operator.formatted("discard"), 200))
                .contains("discarded", "she asked");
        assertThat(post("/actuator/tenonoutbox/" + number, operator.formatted("discard"), 400))
                .contains("no dead letter");
        assertThat(post("/actuator/tenonoutbox", operator.formatted("discard"), 200))
                .contains(other);
        assertThat(get("/actuator/tenonoutbox?target=closed&after=0", 200)).contains("\"deadLetters\":[]");
    }

    /** The number of the dead letter with this key. */
    private static String deadLetter(String key) {
        Outbox outbox = application.getBean(Outbox.class);
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
        return application.getBean(bean, SmartLifecycle.class).getPhase();
    }

    private static TransactionState await(TransactionId gid) throws InterruptedException {
        return application.getBean(Transactions.class).await(gid, PATIENCE).state();
    }

    private static void assertBalances(int own, int savings) {
        String query = "select amount from balance";
        assertThat(balances("dataSource").queryForObject(query, Integer.class)).isEqualTo(own);
        assertThat(balances("savingsSource").queryForObject(query, Integer.class))
                .isEqualTo(savings);
    }

    private static JdbcTemplate balances(String source) {
        return new JdbcTemplate(application.getBean(source, DataSource.class));
    }

    private static boolean held(String name) {
        return application.getBean(Locks.class).inspect(name).isPresent();
    }

    private static String get(String path, int status) throws Exception {
        return answer(HttpRequest.newBuilder(address(path)), status);
    }

    private static String post(String path, String json, int status) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(address(path))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json));
        return answer(request, status);
    }

    private static URI address(String path) {
        return URI.create("http://localhost:" + application.getEnvironment().getProperty("local.server.port") + path);
    }

    private static String answer(HttpRequest.Builder request, int status) throws Exception {
        HttpResponse<String> answer =
                HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        return answer.body();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Account.class, Orders.class, Bank.class})
    static class Application {}

    @Entity(name = "parcel")
    static class Parcel {
        @Id
        @TenonId("order")
        Long id;
    }

    record Order(
            @PublicId("order") long id, @PublicId("order") List<Long> together) {}

    @RestController
    static class Orders {
        private final IdGenerator order;

        Orders(IdGenerator order) {
            this.order = order;
        }

        @GetMapping("/new")
        Order create() {
            return new Order(order.nextId(), List.of());
        }

        @GetMapping("/orders/{id}")
        Order find(@PathVariable("id") @PublicId("order") long id) {
            return new Order(id, List.of(id, id));
        }
    }

    static class Account {
        private final JdbcTemplate jdbc;
        private final CurrentLease lease;

        Account(JdbcTemplate jdbc, CurrentLease lease) {
            this.jdbc = jdbc;
            this.lease = lease;
        }

        @Transactional
        @Locked(key = "'account:' + #name")
        public void add(String name, long amount, Runnable then) {
            assertThat(lease.token()).isPositive();
            jdbc.update("update account set balance = balance + ? where name = ?", amount, name);
            then.run();
        }
    }
}
