package dev.tenon.examples.transactions;

import com.sun.net.httpserver.HttpServer;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.notify.HttpNotifier;
import dev.tenon.tx.notify.Notifications;
import dev.tenon.tx.notify.WebhookSignature;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** A payment service tells a shop that an order is paid. The shop is away at first, and then checks the signature. */
public final class PaidNotification {
    private static final String SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
    private static final String OWN_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    private PaidNotification() {}

    /** Runs the example. */
    public static void main(String[] args) throws Exception {
        AtomicInteger tries = new AtomicInteger();
        WebhookSignature signature = WebhookSignature.of(SECRET);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/paid", exchange -> {
            // tag::receive[]
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            boolean valid = signature.isValid(
                    exchange.getRequestHeaders().getFirst(WebhookSignature.ID),
                    exchange.getRequestHeaders().getFirst(WebhookSignature.TIMESTAMP),
                    exchange.getRequestHeaders().getFirst(WebhookSignature.SIGNATURE),
                    body,
                    Instant.now());
            // end::receive[]
            boolean away = tries.incrementAndGet() == 1;
            System.out.println(away ? "The shop is away" : "The shop has got " + body + ", signed well: " + valid);
            exchange.sendResponseHeaders(away ? 503 : valid ? 204 : 401, -1);
            exchange.close();
        });
        server.start();
        URI shop = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/paid");
        try (ShopDatabase database = ShopDatabase.inMemory("notify")) {
            send(database, shop);
        } finally {
            server.stop(0);
        }
    }

    private static void send(ShopDatabase database, URI shop) throws Exception {
        Map<String, WebhookSignature> secrets = Map.of("shop-hook", WebhookSignature.of(SECRET));
        // tag::send[]
        HttpNotifier notifier = HttpNotifier.signing(WebhookSignature.of(OWN_SECRET))
                .with(name -> Optional.ofNullable(secrets.get(name))); // a receiver with a secret of its own
        Transactions transactions = TransactionEngine.over(
                database.tenon().transactions(), notifier, TransactionOptions.DEFAULT.withService("shop"));
        Notifications notifications = Notifications.over(transactions.start());

        TransactionId gid = new TransactionId("paid-42");
        try (Connection connection = database.begin()) {
            // … the business rows …
            notifications.signedBy("shop-hook").send(connection, gid, shop, "{\"order\":42,\"state\":\"paid\"}");
            connection.commit();
        }
        // end::send[]
        try (transactions) {
            transactions.await(gid, Duration.ofSeconds(30));
            System.out.println("The truth: " + notifications.outcome(gid));
        }
    }
}
