package dev.tenon.tx.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.tenon.ManualClock;
import dev.tenon.TenonException;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.notify.WebhookSignature;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What both sides' logs say where decisions are not taken. */
class RefusalWarningsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    private final String gid = "order-" + UUID.randomUUID();
    private final AtomicInteger status = new AtomicInteger();
    private final List<Logger> loggers = List.of(
            Logger.getLogger(HttpParticipants.class.getName()), Logger.getLogger(CallSignature.class.getName()));
    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private final Thread own = Thread.currentThread();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            if (line.getLevel() == Level.WARNING && Thread.currentThread() == own) { // not what other tests do
                warnings.add(line.getMessage());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };
    private HttpServer server;
    private String address;

    @BeforeEach
    void start() throws IOException {
        loggers.forEach(logger -> logger.addHandler(handler));
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            byte[] text = "no\nsuch page".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status.get(), text.length);
            exchange.getResponseBody().write(text);
            exchange.close();
        });
        server.start();
        address = "http://127.0.0.1:" + server.getAddress().getPort() + "/tenon/transactions";
    }

    @AfterEach
    void stop() {
        loggers.forEach(logger -> logger.removeHandler(handler));
        server.stop(0);
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 403, 404, 405})
    void aDecisionThatIsNotTakenIsToldAtOnceAndOnce(int refused) throws Exception {
        Participant participant =
                HttpParticipants.create(PATIENCE).find(address).orElseThrow();
        fail(participant, refused, Operation.CONFIRM);
        String key = refused < 404 ? "tenon.transactions.secrets" : "tenon.transactions.join";
        assertThat(own())
                .singleElement()
                .asString()
                .startsWith(address + " answers " + refused + " to the decision of transaction " + gid)
                .contains("no such page", key);
        fail(participant, refused, Operation.CANCEL);
        assertThat(own()).hasSize(1);
        status.set(200);
        assertThat(participant.call(call(Operation.CONFIRM))).isInstanceOf(Reply.Done.class);
        fail(participant, refused, Operation.CONFIRM);
        assertThat(own()).as("it was mended, and is broken again").hasSize(2);
    }

    @Test
    void whatPassesByItselfOrIsNoDecisionIsNotTold() {
        Participant participant =
                HttpParticipants.create(PATIENCE).find(address).orElseThrow();
        fail(participant, 503, Operation.CONFIRM);
        fail(participant, 404, Operation.ACTION);
        assertThat(own()).isEmpty();
    }

    @Test
    void whoRefusesASignatureSaysSoOnceAMinute() {
        ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
        CallSignature signed = CallSignature.of(WebhookSignature.of(SECRET), clock);
        BarrierHandler receiver = BarrierHandler.of(call -> Reply.done()).verifying(signed);
        for (int i = 0; i < 3; i++) {
            assertThat(receiver.handle(Map.of("Tenon-Gid", gid)::get, "").status())
                    .isEqualTo(401);
        }
        assertThat(refusals())
                .singleElement()
                .asString()
                .contains("has no webhook-signature", "tenon.transactions.secrets");
        clock.advance(Duration.ofMinutes(1));
        receiver.handle(Map.of("Tenon-Gid", gid)::get, "");
        assertThat(refusals()).hasSize(2);
    }

    private List<String> own() {
        return warnings.stream().filter(line -> line.contains(gid)).toList();
    }

    private List<String> refusals() {
        return warnings.stream()
                .filter(line -> line.startsWith("A call of a transaction was refused"))
                .toList();
    }

    private void fail(Participant participant, int answer, Operation operation) {
        status.set(answer);
        assertThatThrownBy(() -> participant.call(call(operation)))
                .isInstanceOf(TenonException.class)
                .hasMessageContaining("answered " + answer);
    }

    private BranchCall call(Operation operation) {
        return new BranchCall(new TransactionId(gid), "stock", operation, address, "", Map.of(), 1);
    }
}
