package dev.tenon.spring.global;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.spring.global.OrderApplication.OrderRows;
import dev.tenon.spring.global.OrderApplication.Orders;
import dev.tenon.testkit.ForkedJvm;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.global.GlobalScope;
import dev.tenon.tx.global.GlobalTransactions;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Two applications, each with a database and a log of its own: a MariaDB and a PostgreSQL. */
class GlobalTransactionTest {
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private static final List<String> orderKeys = new ArrayList<>();
    private static ConfigurableApplicationContext orders;
    private static ConfigurableApplicationContext stock;
    private static JdbcTemplate orderRows;
    private static JdbcTemplate stockRows;

    @BeforeAll
    static void start() throws SQLException {
        SqlAddress orderDatabase = MariaDbServer.shared().newDatabase();
        SqlAddress stockDatabase = PostgresServer.shared().newDatabase();
        execute(orderDatabase, "CREATE TABLE orders (id INT PRIMARY KEY, pieces INT)");
        execute(stockDatabase, "CREATE TABLE stock (goods VARCHAR(20) PRIMARY KEY, pieces INT CHECK (pieces >= 0))");
        execute(stockDatabase, "INSERT INTO stock VALUES ('water', 100)");
        orderRows = plain(orderDatabase);
        stockRows = plain(stockDatabase);
        stock = StockApplication.start(keys(stockDatabase));
        orderKeys.addAll(keys(orderDatabase));
        orderKeys.add("tenon.transactions.services.stock=" + address(stock));
        orders = OrderApplication.start(orderKeys);
    }

    @AfterAll
    static void stop() {
        orders.close();
        stock.close();
    }

    @BeforeEach
    void empty() {
        orderRows.update("DELETE FROM orders");
        stockRows.update("UPDATE stock SET pieces = 100");
    }

    @Test
    void bothAreCommitted() {
        orders().order(1, 3);
        orders().order(2, 4);
        assertAfter(2, 93);
    }

    @Test
    void anExceptionAfterTheCallUndoesBoth() {
        orders().order(1, 3);
        assertThatThrownBy(() -> orders().order(2, 11)).hasMessage("nobody gets more than ten");
        assertAfter(1, 97);
    }

    @Test
    void webClientAndRestTemplateCarryItToo() {
        orders().orderByOtherClients(false);
        assertAfter(0, 95);
        assertThatThrownBy(() -> orders().orderByOtherClients(true)).hasMessage("a mistake");
        assertAfter(0, 95);
    }

    @Test
    void whatTheCalledOneRefusesIsUndoneEvenIfItsCallerGoesOn() {
        assertThatThrownBy(() -> orders().orderWhateverTheStockSays(1, 101))
                .isInstanceOf(TransactionAbortedException.class)
                .hasMessageContaining("\"stock\"");
        assertAfter(0, 100);
    }

    @Test
    void aCallerThatIsKilledAfterTheCallIsUndoneInBothByItsSuccessor() {
        orders.close();
        try (ForkedJvm process = ForkedJvm.start(OrderApplication.class, orderKeys.toArray(String[]::new))) {
            assertThat(process.awaitExit(PATIENCE)).as(process::errors).isEqualTo(9);
        }
        assertThat(counts()).isEqualTo("1 97");
        orders = OrderApplication.start(orderKeys);
        assertAfter(0, 100);
        orders().order(42, 3); // its rows are free
        assertAfter(1, 97);
    }

    @Test
    void withoutALocalTransactionEachStatementTakesPart() {
        assertThatThrownBy(() -> orders().orderOnce(1)).hasMessage("a mistake");
        assertAfter(0, 100);
    }

    @Test
    void itIsRoundALocalOneOnTheSameMethodAndNotWithinOne() {
        assertThatThrownBy(() -> orders().both(1)).hasMessage("a mistake");
        assertThatThrownBy(() -> orders().inALocalOne(() -> orders().order(2, 1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("round @Transactional");
        assertAfter(0, 100);
    }

    @Test
    void rollsBackForWhatTransactionalWould() {
        assertThatThrownBy(() -> orders().orderAndThrow(1, new FileNotFoundException("an IOException")))
                .isInstanceOf(FileNotFoundException.class);
        assertAfter(0, 100);
        assertThatThrownBy(() -> orders().orderAndThrow(2, new Exception("checked")))
                .hasMessage("checked");
        assertThatThrownBy(() -> orders().orderAndThrow(3, new IllegalStateException("named")))
                .hasMessage("named");
        assertAfter(2, 100);
        assertThatThrownBy(() -> orders().orderAndThrow(4, new IllegalArgumentException("unchecked")))
                .hasMessage("unchecked");
        assertAfter(2, 100);
    }

    @Test
    void whatRunsOutsideStays() {
        assertThatThrownBy(() -> orders().inside(() -> {
                    rows().add(1, 1);
                    orders().orderOutside(2);
                    throw new IllegalStateException("no");
                }))
                .hasMessage("no");
        assertAfter(1, 100);
    }

    @Test
    void anInnerFailureThatIsCaughtRollsTheWholeBack() {
        assertThatThrownBy(() -> orders().inside(() -> {
                    assertThatThrownBy(() -> orders().order(1, 11)).hasMessage("nobody gets more than ten");
                    rows().add(2, 1);
                }))
                .isInstanceOf(TransactionAbortedException.class)
                .hasMessageContaining("Orders.order")
                .hasMessageContaining("nobody gets more than ten");
        assertAfter(0, 100);
    }

    @Test
    void oneForReadingRefusesBranchesThatWrite() {
        orders().order(1, 1);
        assertThat(orders().countAnd(() -> {})).isEqualTo(1);
        assertThatThrownBy(() -> orders().countAnd(() -> rows().add(2, 1))).isInstanceOf(DataAccessException.class);
        rows().add(3, 1); // the connection is as it was
        assertAfter(2, 99);
    }

    @Test
    void otherThreadsTakePartIfTheirWorkIsWrapped() {
        GlobalScope scope = orders.getBean(GlobalScope.class);
        assertThatThrownBy(() -> orders().inside(() -> {
                    run(scope.wrap(() -> rows().add(1, 1)));
                    run(() -> rows().add(2, 1));
                    throw new IllegalStateException("no");
                }))
                .hasMessage("no");
        assertAfter(1, 100);
    }

    @Test
    void aHeaderThatIsNoneIsRefusedAtTheDoor() throws Exception {
        assertThat(post("/stock/take/1", "no part")).isEqualTo(400);
        assertThat(post("/stock/take/1", "gid")).isEqualTo(400);
        assertThat(post(GlobalTransactions.PATH, "gid:stock")).isEqualTo(401); // a decision has to be signed
        assertAfter(0, 100);
        assertThat(post("/stock/take/1", "nobody:stock")).isEqualTo(200); // it waits for a decision that nobody takes
        Transactions log = stock.getBean(Transactions.class);
        log.abort(new TransactionId("nobody:stock"), "an operator", "forged");
        assertAfter(0, 100);
    }

    private static int post(String path, String header) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address(stock) + path))
                .header(GlobalTransactions.HEADER, header)
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        return HTTP.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    }

    private static void run(Runnable work) {
        Thread thread = new Thread(work);
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Orders orders() {
        return orders.getBean(Orders.class);
    }

    private static OrderRows rows() {
        return orders.getBean(OrderRows.class);
    }

    /** As they are when every transaction has ended. */
    private static void assertAfter(int orderCount, int pieces) {
        Awaitility.await().atMost(PATIENCE).untilAsserted(() -> {
            assertThat(counts()).isEqualTo(orderCount + " " + pieces);
            assertThat(open(orders) + open(stock)).isZero();
        });
    }

    private static int open(ConfigurableApplicationContext application) {
        int open = 0;
        for (TransactionState state :
                List.of(TransactionState.ACTIVE, TransactionState.COMMITTING, TransactionState.ABORTING)) {
            open += application
                    .getBean(Transactions.class)
                    .list(TransactionFilter.ALL.in(state), "", 100)
                    .transactions()
                    .size();
        }
        return open;
    }

    private static String counts() {
        return orderRows.queryForObject("SELECT COUNT(*) FROM orders", Integer.class) + " "
                + stockRows.queryForObject("SELECT pieces FROM stock", Integer.class);
    }

    private static String address(ConfigurableApplicationContext application) {
        return "http://localhost:" + application.getEnvironment().getRequiredProperty("local.server.port");
    }

    private static List<String> keys(SqlAddress database) {
        return List.of(
                "tenon.transactions.secrets=whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
                "spring.datasource.url=" + database.url(),
                "spring.datasource.username=" + database.user(),
                "spring.datasource.password=" + database.password());
    }

    private static JdbcTemplate plain(SqlAddress database) {
        return new JdbcTemplate(new DriverManagerDataSource(database.url(), database.user(), database.password()));
    }

    private static void execute(SqlAddress database, String sql) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
