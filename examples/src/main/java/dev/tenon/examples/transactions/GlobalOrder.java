package dev.tenon.examples.transactions;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.at.AtResource;
import dev.tenon.tx.at.AtTransactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.global.GlobalOptions;
import dev.tenon.tx.global.GlobalScope;
import dev.tenon.tx.global.GlobalTransactions;
import dev.tenon.tx.global.JoinedScope;
import dev.tenon.tx.http.BarrierHandler;
import dev.tenon.tx.http.HttpParticipants;
import dev.tenon.tx.tcc.Tcc;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;

/**
 * One transaction over two services that speak HTTP, each with a database and a log of its own; without a framework.
 */
public final class GlobalOrder {
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private GlobalOrder() {}

    /** A service: its rows, its log, and its part in global transactions. */
    private static final class Service implements AutoCloseable {
        private final JdbcDataSource rows = new JdbcDataSource();
        private final JdbcBackend backend;
        private final Transactions transactions;
        private final Tcc tcc;
        private final GlobalTransactions global;

        Service(String name, Map<String, String> others) {
            rows.setURL("jdbc:h2:mem:global-" + name + ";DB_CLOSE_DELAY=-1");
            backend = JdbcBackend.over(rows);
            // tag::service[]
            Map<String, AtResource> databases = Map.of("rows", backend.autoUndo(rows));
            NamedParticipants named = new NamedParticipants();
            transactions = TransactionEngine.over(
                    backend.transactions(),
                    named.or(AtTransactions.participants(databases))
                            .or(HttpParticipants.create(Duration.ofSeconds(5))), // tells other services the decision
                    TransactionOptions.DEFAULT.withService(name));
            tcc = Tcc.over(transactions, named);
            global = GlobalTransactions.over(transactions, new GlobalScope(), tcc, databases, others);
            transactions.start();
            // end::service[]
        }

        /** A statement, in the transaction of this thread. */
        void change(String sql) throws SQLException {
            try (Connection branch = global.scope().writing().orElseThrow().connection("rows");
                    Statement statement = branch.createStatement()) {
                statement.executeUpdate(sql);
                branch.commit();
            }
        }

        void run(String sql) throws SQLException {
            try (Connection connection = rows.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute(sql);
            }
        }

        int number(String query) throws SQLException {
            try (Connection connection = rows.getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet result = statement.executeQuery(query)) {
                result.next();
                return result.getInt(1);
            }
        }

        @Override
        public void close() {
            tcc.close();
            transactions.close();
            backend.close();
        }
    }

    /** Runs it on two databases in memory. */
    public static void main(String[] args) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        String address = "http://localhost:" + server.getAddress().getPort();
        try (Service stock = new Service("stock", Map.of());
                Service orders = new Service("orders", Map.of("stock", address))) {
            stock.run("CREATE TABLE stock (goods INT PRIMARY KEY, pieces INT)");
            stock.run("INSERT INTO stock VALUES (1, 10)");
            orders.run("CREATE TABLE orders (id INT PRIMARY KEY)");
            server.createContext("/take", exchange -> take(stock, exchange));
            server.createContext(GlobalTransactions.PATH, exchange -> decided(stock, exchange));
            server.start();
            order(orders, address + "/take", 1, true);
            System.out.println("Paid: " + state(orders, stock));
            try {
                order(orders, address + "/take", 2, false);
            } catch (IllegalStateException e) {
                System.out.println("Not paid: " + state(orders, stock));
            }
        } finally {
            server.stop(0);
        }
    }

    private static void order(Service orders, String take, int id, boolean paid) throws Exception {
        // tag::order[]
        orders.global.call(GlobalOptions.DEFAULT, () -> {
            orders.change("INSERT INTO orders (id) VALUES (" + id + ")");
            int status = orders.global
                    .exchange(
                            take, // an address of a service that takes part: the header goes along, and comes back
                            header -> post(take, header),
                            response -> response.headers()
                                    .firstValue(GlobalTransactions.HEADER)
                                    .orElse(null))
                    .statusCode();
            if (!paid) {
                throw new IllegalStateException("not paid"); // both are undone
            }
            return status;
        });
        // end::order[]
    }

    private static HttpResponse<String> post(String address, @Nullable String header) throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(address)).POST(HttpRequest.BodyPublishers.noBody());
        if (header != null) {
            request.header(GlobalTransactions.HEADER, header);
        }
        return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static void take(Service stock, HttpExchange exchange) throws IOException {
        int status = 200;
        // tag::join[]
        String header = exchange.getRequestHeaders().getFirst(GlobalTransactions.HEADER);
        try (JoinedScope joined = stock.global.join(header)) {
            try {
                stock.change("UPDATE stock SET pieces = pieces - 1 WHERE goods = 1");
            } catch (SQLException | RuntimeException e) {
                joined.failed(e.toString());
                status = 500;
            }
            joined.answer().ifPresent(done -> exchange.getResponseHeaders().set(GlobalTransactions.HEADER, done));
        }
        // end::join[]
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
    }

    private static void decided(Service stock, HttpExchange exchange) throws IOException {
        // tag::decided[]
        BarrierHandler handler = BarrierHandler.of(stock.global.participant());
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        BarrierHandler.Answer answer = handler.handle(exchange.getRequestHeaders()::getFirst, body);
        // end::decided[]
        exchange.sendResponseHeaders(answer.status(), -1);
        exchange.close();
    }

    private static String state(Service orders, Service stock) throws SQLException {
        return orders.number("SELECT COUNT(*) FROM orders") + " orders, " + stock.number("SELECT pieces FROM stock")
                + " pieces";
    }
}
