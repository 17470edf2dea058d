package dev.tenon.memory;

import static dev.tenon.tx.TransactionState.ABORTED;
import static dev.tenon.tx.TransactionState.COMMITTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionConflictException;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionOutcome;
import dev.tenon.tx.notify.HttpNotifier;
import dev.tenon.tx.notify.Notifications;
import dev.tenon.tx.notify.WebhookSecrets;
import dev.tenon.tx.notify.WebhookSignature;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a notification does, to a receiver on this machine. */
class NotificationTest {
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private static final String NEXT_SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
    private static final WebhookSignature SIGNATURE = WebhookSignature.of(SECRET);
    private static final TransactionId GID = new TransactionId("paid-1");
    private static final String BODY = "{\"order\":1,\"name\":\"水\"}";

    private record Received(String id, String timestamp, String signature, String body) {}

    private final List<Received> received = new CopyOnWriteArrayList<>();
    private final AtomicInteger status = new AtomicInteger(200);
    private HttpServer receiver;
    private URI address;
    private ModesFixture tx;
    private Notifications notifications;
    private WebhookSecrets named = WebhookSecrets.NONE;

    @BeforeEach
    void open() throws IOException {
        receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/paid", this::receive);
        receiver.start();
        address = URI.create("http://127.0.0.1:" + receiver.getAddress().getPort() + "/paid");
        tx = new ModesFixture(target -> notifier().find(target));
        notifications = Notifications.over(tx.transactions);
    }

    private HttpNotifier notifier() {
        return HttpNotifier.over(HttpClient.newHttpClient(), SIGNATURE, Duration.ofSeconds(8), tx.clock)
                .with(name -> named.find(name));
    }

    @AfterEach
    void close() {
        tx.close();
        receiver.stop(0);
    }

    private void receive(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        received.add(new Received(
                exchange.getRequestHeaders().getFirst(WebhookSignature.ID),
                exchange.getRequestHeaders().getFirst(WebhookSignature.TIMESTAMP),
                exchange.getRequestHeaders().getFirst(WebhookSignature.SIGNATURE),
                body));
        exchange.sendResponseHeaders(status.get(), -1);
        exchange.close();
        status.compareAndSet(503, 200);
    }

    @Test
    void eachTryHasTheSameIdAndBodyAndAValidSignature() throws Exception {
        status.set(503);

        notifications.send(GID, address, BODY);

        assertThat(tx.end(GID)).isEqualTo(COMMITTED);
        assertThat(received).hasSize(2);
        assertThat(received.stream().map(Received::id).collect(Collectors.toSet()))
                .containsExactly("paid-1");
        assertThat(received.stream().map(Received::body).collect(Collectors.toSet()))
                .containsExactly(BODY);
        assertThat(received.get(0).timestamp()).isNotEqualTo(received.get(1).timestamp());
        for (Received one : received) {
            assertThat(SIGNATURE.isValid(one.id(), one.timestamp(), one.signature(), one.body(), tx.clock.now()))
                    .isTrue();
        }
        assertThat(notifications.outcome(GID)).isInstanceOf(TransactionOutcome.Committed.class);
    }

    @Test
    void oneThatIsRefusedIsNotSentAgain() throws Exception {
        status.set(409);

        notifications.send(GID, address, BODY);

        assertThat(tx.end(GID)).isEqualTo(ABORTED);
        assertThat(received).hasSize(1);
        assertThat(notifications.outcome(GID)).isInstanceOf(TransactionOutcome.Aborted.class);
    }

    @Test
    void oneThatNobodyTakesEndsWithItsAge() throws Exception {
        status.set(500);

        notifications.on(Notifications.SCHEDULE, Duration.ofMinutes(1)).send(GID, address, BODY);

        assertThat(tx.end(GID)).isEqualTo(ABORTED);
        // At most once a second doubled: 0, 1, 3, 7, 15, 31 s, each pause shortened by up to a quarter.
        assertThat(received).hasSizeBetween(3, 8);
    }

    @Test
    void oneThatHasUsedUpItsTriesHasFailed() throws Exception {
        status.set(500);

        notifications.on(RetryPolicy.FOR_EVER.upTo(3), Notifications.AGE).send(GID, address, BODY);

        assertThat(tx.end(GID)).isEqualTo(ABORTED);
        assertThat(received).hasSize(3);
    }

    @Test
    void theSameOneTwiceIsSentOnceAndAnotherUnderItsIdIsRefused() throws Exception {
        notifications.send(GID, address, BODY);
        notifications.send(GID, address, BODY);

        assertThat(tx.end(GID)).isEqualTo(COMMITTED);
        assertThat(received).hasSize(1);
        assertThatThrownBy(() -> notifications.send(GID, address, "{}"))
                .isInstanceOf(TransactionConflictException.class);
    }

    @Test
    void whatLeadsElsewhereIsRefusedAtTheDoor() {
        for (String bad : List.of(
                "ftp://host/x", "/paid", "http:///paid", "http://ann:secret@host/paid", "http://host/#secret")) {
            assertThatThrownBy(() -> notifications.send(GID, URI.create(bad), BODY))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("http or https")
                    .hasMessageNotContaining("secret");
        }
        assertThat(tx.transactions.find(GID)).isEmpty();
    }

    @Test
    void theLogHasTheNameOfASecretAndNeverTheSecret() throws Exception {
        Map<String, WebhookSignature> secrets = new ConcurrentHashMap<>();
        named = name -> Optional.ofNullable(secrets.get(name));

        notifications.signedBy("orders hook/1").send(GID, address, BODY);
        await().untilAsserted(() -> {
            tx.transactions.runOnce();
            assertThat(tx.transactions
                            .find(GID)
                            .orElseThrow()
                            .branches()
                            .get(0)
                            .lastError()
                            .orElse(""))
                    .contains("no webhook secret of the name \"orders hook/1\"");
        });
        assertThat(received).isEmpty();
        secrets.put("orders hook/1", WebhookSignature.of(NEXT_SECRET));

        assertThat(tx.end(GID)).isEqualTo(COMMITTED);
        Received one = received.get(0);
        WebhookSignature next = WebhookSignature.of(NEXT_SECRET);
        assertThat(next.isValid(one.id(), one.timestamp(), one.signature(), one.body(), tx.clock.now()))
                .isTrue();
        assertThat(SIGNATURE.isValid(one.id(), one.timestamp(), one.signature(), one.body(), tx.clock.now()))
                .isFalse();
        assertThat(tx.transactions.find(GID).orElseThrow().toString() + tx.transactions.history(GID))
                .contains("#orders+hook%2F1")
                .doesNotContain("whsec_");
        assertThatThrownBy(() -> notifications.signedBy(SECRET))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining(SECRET);
    }

    @Test
    void itSignsAsTheSpecificationOfStandardWebhooksDoes() {
        Instant at = Instant.ofEpochSecond(1614265330);
        String id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
        String body = "{\"test\": 2432232314}";
        String signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

        assertThat(SIGNATURE.sign(id, at, body)).isEqualTo(signature);
        assertThat(SIGNATURE.isValid(id, "1614265330", signature, body, at.plusSeconds(299)))
                .isTrue();
        assertThat(SIGNATURE.isValid(id, "1614265330", signature, body, at.plusSeconds(301)))
                .isFalse();
        assertThat(SIGNATURE.isValid(id, "1614265330", signature, body, at.minusSeconds(301)))
                .isFalse();
        assertThat(SIGNATURE.isValid(id, "1614265331", signature, body, at)).isFalse();
        assertThat(SIGNATURE.isValid("msg_2", "1614265330", signature, body, at))
                .isFalse();
        assertThat(SIGNATURE.isValid(id, "1614265330", signature, body + " ", at))
                .isFalse();
        assertThat(SIGNATURE.isValid(id, "now", signature, body, at)).isFalse();
    }

    @Test
    void aSecretIsReplacedWithoutAPause() {
        Instant at = Instant.ofEpochSecond(1614265330);
        WebhookSignature both = WebhookSignature.of(NEXT_SECRET, SECRET);

        String signed = both.sign("1", at, BODY);

        for (WebhookSignature one : List.of(SIGNATURE, WebhookSignature.of(NEXT_SECRET), both)) {
            assertThat(one.isValid("1", "1614265330", signed, BODY, at)).isTrue();
        }
        WebhookSignature plain = WebhookSignature.of("hunter2");
        assertThat(plain.isValid("1", "1614265330", plain.sign("1", at, BODY), BODY, at))
                .isTrue();
        assertThat(plain.isValid("1", "1614265330", signed, BODY, at)).isFalse();
        assertThatThrownBy(() -> WebhookSignature.of("")).hasMessageContaining("whsec_");
        assertThatThrownBy(() -> WebhookSignature.of("whsec_c2hvcnQ="))
                .hasMessageContaining("5 bytes")
                .hasMessageNotContaining("c2hvcnQ");
        assertThatThrownBy(WebhookSignature::of).hasMessageContaining("one secret");
    }
}
