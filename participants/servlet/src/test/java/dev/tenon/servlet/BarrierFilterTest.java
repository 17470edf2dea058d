package dev.tenon.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.ManualClock;
import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.LocalTransactions;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.http.CallSignature;
import dev.tenon.tx.http.HttpParticipants;
import dev.tenon.tx.notify.WebhookSignature;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The filter in Tomcat, in front of a servlet that takes from a stock, called as the server calls it. */
class BarrierFilterTest {
    private static final String DATABASE = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    private static final JdbcDataSource DATA_SOURCE = new JdbcDataSource();
    private static final AtomicInteger RUNS = new AtomicInteger();

    private static final String SECRET = "whsec_" + "b3VycyBv".repeat(4);
    private static final ManualClock CLOCK = new ManualClock(Instant.ofEpochSecond(1_800_000_000));

    @TempDir
    private static Path folder;

    private static JdbcBackend tenon;
    private static Tomcat tomcat;
    private static String target;

    private final HttpParticipants participants = HttpParticipants.create(Duration.ofSeconds(30));
    private final String gid = UUID.randomUUID().toString();

    @BeforeAll
    static void start() throws Exception {
        DATA_SOURCE.setURL(DATABASE);
        tenon = JdbcBackend.connect(DATABASE);
        update("CREATE TABLE stock (amount INT)");
        update("INSERT INTO stock VALUES (10)");
        tomcat = new Tomcat();
        tomcat.setBaseDir(folder.toString());
        tomcat.setHostname("127.0.0.1");
        tomcat.setPort(0);
        Context context = tomcat.addContext("", null);
        BarrierFilter barrier = BarrierFilter.of(LocalTransactions.of(DATA_SOURCE), tenon.barrier());
        map(context, "/stock", barrier);
        map(context, "/signed", barrier.verifying(CallSignature.of(WebhookSignature.of(SECRET), CLOCK)));
        Tomcat.addServlet(context, "stock", new Stock());
        context.addServletMappingDecoded("/stock", "stock");
        context.addServletMappingDecoded("/signed", "stock");
        context.addServletMappingDecoded("/unguarded", "stock");
        tomcat.start();
        target = "http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + "/stock";
    }

    private static void map(Context context, String path, BarrierFilter barrier) {
        FilterDef filter = new FilterDef();
        filter.setFilterName(path);
        filter.setFilter(barrier);
        context.addFilterDef(filter);
        FilterMap paths = new FilterMap();
        paths.setFilterName(path);
        paths.addURLPattern(path);
        context.addFilterMap(paths);
    }

    @AfterAll
    static void stop() throws Exception {
        tomcat.stop();
        tomcat.destroy();
        tenon.close();
    }

    /** Does as the payload says. */
    private static final class Stock extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
            RUNS.incrementAndGet();
            String word = new String(request.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
            BranchCall call = BarrierFilter.call(request);
            int change = call.operation() == Operation.COMPENSATE ? 1 : -1;
            try (Statement statement = BarrierFilter.connection(request).createStatement()) {
                statement.executeUpdate("UPDATE stock SET amount = amount + " + change);
            } catch (SQLException e) {
                throw new IOException(e);
            }
            response.setHeader("X-Seen", "yes");
            response.setContentType("application/json");
            switch (word) {
                case "refuse" -> {
                    response.setStatus(409);
                    response.getWriter().print("no 中");
                }
                case "wait" -> response.sendError(425, "come again");
                case "break" -> response.sendError(503);
                case "throw" -> throw new IllegalStateException("out of order");
                case "redirect" -> response.sendRedirect("/elsewhere");
                case "async" -> request.startAsync();
                default -> {
                    response.setStatus(201);
                    response.getWriter().print("{\"run\":\"中 " + RUNS.get() + "\"}");
                    response.flushBuffer();
                }
            }
        }
    }

    private Reply call(Operation operation, String payload) throws Exception {
        return participants
                .find(target)
                .orElseThrow()
                .call(new BranchCall(new TransactionId(gid), "stock", operation, target, payload, Map.of(), 1));
    }

    private static void update(String sql) throws SQLException {
        try (Connection connection = DATA_SOURCE.getConnection();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    private static int amount() throws SQLException {
        try (Connection connection = DATA_SOURCE.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT amount FROM stock")) {
            row.next();
            return row.getInt(1);
        }
    }

    @Test
    void aRepeatedCallIsDoneOnceAndGetsTheFirstAnswer() throws Exception {
        int before = amount();
        Reply first = call(Operation.ACTION, "take");
        int runs = RUNS.get();
        assertThat(first).isEqualTo(Reply.done("{\"run\":\"中 " + runs + "\"}"));
        assertThat(call(Operation.ACTION, "take")).isEqualTo(first);
        assertThat(RUNS).hasValue(runs);
        assertThat(amount()).isEqualTo(before - 1);
        assertThat(call(Operation.COMPENSATE, "take")).isInstanceOf(Reply.Done.class);
        assertThat(call(Operation.COMPENSATE, "take")).isInstanceOf(Reply.Done.class);
        assertThat(amount()).isEqualTo(before);
    }

    @Test
    void whatWasNeverDoneIsNotUndoneAndNeverDoneLater() throws Exception {
        int before = amount();
        int runs = RUNS.get();
        assertThat(call(Operation.COMPENSATE, "take")).isEqualTo(Reply.done());
        assertThat(call(Operation.ACTION, "take")).isInstanceOf(Reply.Refused.class);
        assertThat(RUNS).hasValue(runs);
        assertThat(amount()).isEqualTo(before);
    }

    @Test
    void whatIsNotDoneIsRolledBackAndComesAgain() throws Exception {
        int before = amount();
        assertThat(call(Operation.ACTION, "refuse")).isEqualTo(Reply.refused("no 中"));
        assertThat(call(Operation.ACTION, "wait")).isEqualTo(Reply.notYet("come again"));
        for (String failing : new String[] {"break", "throw", "redirect", "async"}) {
            assertThatThrownBy(() -> call(Operation.ACTION, failing))
                    .as(failing)
                    .hasMessageContaining(failing.equals("break") ? "503" : "500")
                    .hasMessageNotContaining("out of order");
        }
        assertThat(amount()).isEqualTo(before);
        assertThat(call(Operation.ACTION, "take")).isInstanceOf(Reply.Done.class);
        assertThat(amount()).isEqualTo(before - 1);
    }

    @Test
    void aCheckBackIsAnsweredFromTheBarrierAndNeverFlips() throws Exception {
        int runs = RUNS.get();
        assertThat(call(Operation.CHECK, "")).isInstanceOf(Reply.Refused.class);
        assertThat(call(Operation.ACTION, "take")).isInstanceOf(Reply.Refused.class);
        assertThat(call(Operation.CHECK, "")).isInstanceOf(Reply.Refused.class);
        assertThat(RUNS).hasValue(runs);
    }

    @Test
    void aRequestThatIsNoCallIsRefusedAndOneThatCameAroundTheFilterFails() throws Exception {
        int runs = RUNS.get();
        HttpResponse<String> plain = post(target);
        assertThat(plain.statusCode()).isEqualTo(400);
        assertThat(plain.body()).contains("Tenon-Branch");
        assertThat(RUNS).hasValue(runs);
        assertThat(post(target.replace("/stock", "/unguarded")).statusCode()).isEqualTo(500);
    }

    @Test
    void withASecretOnlySignedCallsAreTakenAndOneThatWasCaughtDoesNothingTwice() throws Exception {
        int before = amount();
        int runs = RUNS.get();
        Map<String, String> caught = signed(Operation.ACTION, "take 中");
        HttpResponse<String> first = signed(caught, "take 中");
        assertThat(first.statusCode()).isEqualTo(201);
        assertThat(RUNS).hasValue(runs + 1);
        assertThat(amount()).isEqualTo(before - 1);

        CLOCK.advance(Duration.ofMinutes(4));
        HttpResponse<String> again = signed(caught, "take 中");
        assertThat(again.statusCode()).isEqualTo(200);
        assertThat(again.body()).isEqualTo(first.body());
        CLOCK.advance(Duration.ofMinutes(2));
        assertThat(signed(caught, "take 中").statusCode()).isEqualTo(401);

        Map<String, String> undo = new HashMap<>(signed(Operation.CHECK, ""));
        undo.put(HttpParticipants.OPERATION, "compensate");
        assertThat(signed(undo, "").body()).contains("webhook-id");
        assertThat(signed(signed(Operation.COMPENSATE, "take"), "took").statusCode())
                .isEqualTo(401);
        HttpResponse<String> plain = post(target.replace("/stock", "/signed"));
        assertThat(plain.statusCode()).isEqualTo(401);
        assertThat(plain.body()).contains("webhook-signature");
        String large = "x".repeat((1 << 20) + 1);
        assertThat(signed(signed(Operation.COMPENSATE, large), large).statusCode())
                .isEqualTo(413);
        assertThat(RUNS).hasValue(runs + 1);
        assertThat(amount()).isEqualTo(before - 1);

        assertThat(signed(signed(Operation.COMPENSATE, "put back"), "put back").statusCode())
                .isEqualTo(201);
        assertThat(amount()).isEqualTo(before);
    }

    private Map<String, String> signed(Operation operation, String payload) {
        BranchCall call = new BranchCall(new TransactionId(gid), "stock", operation, target, payload, Map.of(), 1);
        Map<String, String> headers = new HashMap<>(
                CallSignature.of(WebhookSignature.of(SECRET), CLOCK).sign(call));
        headers.put(HttpParticipants.GID, gid);
        headers.put(HttpParticipants.BRANCH, "stock");
        headers.put(HttpParticipants.OPERATION, operation.text());
        return headers;
    }

    private static HttpResponse<String> signed(Map<String, String> headers, String body)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(target.replace("/stock", "/signed")))
                .POST(HttpRequest.BodyPublishers.ofString(body));
        headers.forEach(request::header);
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static HttpResponse<String> post(String url) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(url))
                                .POST(HttpRequest.BodyPublishers.ofString("take"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }
}
