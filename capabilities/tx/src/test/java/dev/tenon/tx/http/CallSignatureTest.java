package dev.tenon.tx.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.ManualClock;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Operation;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.notify.WebhookSignature;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a signature of a call says, and what becomes of one that was caught on its way. */
class CallSignatureTest {
    /** Secret and time of the test vector that the specification of Standard Webhooks publishes. */
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    private static final String NEXT = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
    private static final String BODY = "{\"count\":3,\"what\":\"水\"}";

    private final ManualClock clock = new ManualClock(Instant.ofEpochSecond(1_614_265_330));
    private final CallSignature signature = CallSignature.of(WebhookSignature.of(SECRET), clock);

    private static BranchCall call(String gid, String branch, Operation operation, String payload) {
        return new BranchCall(new TransactionId(gid), branch, operation, "stock", payload, Map.of(), 1);
    }

    /** What a participant gets over HTTP. */
    private Map<String, String> sent(BranchCall call) {
        Map<String, String> headers = new HashMap<>(signature.sign(call));
        headers.put(HttpParticipants.GID, call.gid().text());
        headers.put(HttpParticipants.BRANCH, CallSignature.headerText(call.branch()));
        headers.put(HttpParticipants.OPERATION, call.operation().text());
        return headers;
    }

    private static Optional<String> against(CallSignature by, Map<String, String> headers, String body) {
        return by.against(headers::get, body.getBytes(StandardCharsets.UTF_8));
    }

    private static Map<String, String> with(Map<String, String> headers, String... changes) {
        Map<String, String> changed = new HashMap<>(headers);
        for (int i = 0; i < changes.length; i += 2) {
            changed.put(changes[i], changes[i + 1]);
        }
        return changed;
    }

    @Test
    void everyOperationOfEveryBranchIsTakenAsItWasSigned() {
        for (Operation operation : Operation.values()) {
            for (String branch : List.of("stock", "a/b.c", "50 % 水+\u0001", "x".repeat(200))) {
                for (String body : List.of("", BODY)) {
                    BranchCall call = call("order:1.a-b_c", branch, operation, body);
                    assertThat(against(signature, sent(call), body)).isEmpty();
                    assertThat(signature.against(signature.sign(call, "stock")::get, call))
                            .isEmpty();
                }
            }
        }
    }

    @Test
    void itIsASignatureOfStandardWebhooksWhoseIdSaysWhichCallItIs() {
        Map<String, String> headers = sent(call("order-1", "stock/7.2 %", Operation.COMPENSATE, BODY));

        assertThat(headers.get("webhook-id")).isEqualTo("order-1/stock%2F7%2E2%20%25/compensate");
        assertThat(headers.get("webhook-timestamp")).isEqualTo("1614265330");
        assertThat(WebhookSignature.of(SECRET)
                        .isValid(
                                headers.get("webhook-id"),
                                headers.get("webhook-timestamp"),
                                headers.get("webhook-signature"),
                                BODY,
                                clock.now()))
                .isTrue();
        assertThat(signature
                        .sign(call("order-1", "stock", Operation.TRY, BODY), "shop/a.b")
                        .get("webhook-id"))
                .isEqualTo("order-1/stock/try/shop%2Fa%2Eb");
    }

    @Test
    void oneThatWasCaughtCantBeSentAsAnotherCall() {
        Map<String, String> caught = sent(call("order-1", "stock", Operation.CONFIRM, BODY));

        assertThat(against(signature, caught, BODY + " ")).isPresent();
        for (String[] change : new String[][] {
            {HttpParticipants.OPERATION, "cancel"},
            {HttpParticipants.GID, "order-2"},
            {HttpParticipants.BRANCH, "card"},
            {HttpParticipants.OPERATION, "cancel", WebhookSignature.ID, "order-1/stock/cancel"},
            {HttpParticipants.GID, "order-2", WebhookSignature.ID, "order-2/stock/confirm"},
            {WebhookSignature.TIMESTAMP, "1614265331"},
            {WebhookSignature.TIMESTAMP, "soon"},
            {WebhookSignature.TIMESTAMP, ""},
            {WebhookSignature.SIGNATURE, "v1,"},
            {WebhookSignature.SIGNATURE, ""},
            {WebhookSignature.ID, ""}
        }) {
            assertThat(against(signature, with(caught, change), BODY))
                    .as(String.join(" ", change))
                    .isPresent();
        }
        BranchCall overGrpc = call("order-1", "stock", Operation.CONFIRM, BODY);
        assertThat(signature.against(signature.sign(overGrpc, "card")::get, overGrpc))
                .as("of another participant at the same address")
                .isPresent();
        assertThat(signature.against(caught::get, overGrpc))
                .as("that came over HTTP")
                .isPresent();
    }

    @Test
    void aBranchOfSomebodysChoiceMovesNeitherTheTimeNorTheBody() {
        // What is signed is "ID.time.body": a branch with dots and slashes in it could be all of these.
        String later = String.valueOf(clock.now().plus(Duration.ofDays(1)).getEpochSecond());
        Map<String, String> caught = sent(call("order-1", "stock/action." + later + ".x", Operation.TRY, BODY));
        clock.advance(Duration.ofDays(1));

        Map<String, String> forged = with(
                caught,
                HttpParticipants.BRANCH,
                "stock",
                HttpParticipants.OPERATION,
                "action",
                WebhookSignature.ID,
                "order-1/stock/action",
                WebhookSignature.TIMESTAMP,
                later);
        assertThat(against(signature, forged, "x/try.1614265330." + BODY)).isPresent();
        assertThat(against(
                        CallSignature.of(WebhookSignature.of(SECRET), clock),
                        with(forged, WebhookSignature.ID, "order-1/stock%2Faction"),
                        "x/try.1614265330." + BODY))
                .isPresent();
    }

    @Test
    void aNotificationThatIsSignedWithTheSameSecretIsNoCall() {
        Map<String, String> headers = Map.of(
                HttpParticipants.GID, "order-1",
                HttpParticipants.BRANCH, "notify",
                HttpParticipants.OPERATION, "notify",
                WebhookSignature.ID, "order-1",
                WebhookSignature.TIMESTAMP, "1614265330",
                WebhookSignature.SIGNATURE, WebhookSignature.of(SECRET).sign("order-1", clock.now(), BODY));

        assertThat(against(signature, headers, BODY))
                .hasValueSatisfying(why -> assertThat(why).contains("webhook-id"));
    }

    @Test
    void itCanBeSentAgainForFiveMinutesAndNotLonger() {
        Map<String, String> caught = sent(call("order-1", "stock", Operation.ACTION, BODY));

        assertThat(against(signature, caught, BODY)).isEmpty();
        clock.advance(Duration.ofMinutes(5));
        assertThat(against(signature, caught, BODY)).isEmpty();
        clock.advance(Duration.ofSeconds(1));
        assertThat(against(signature, caught, BODY))
                .hasValueSatisfying(why -> assertThat(why).contains("5 minutes"));
        Map<String, String> fromTheFuture = sent(call("order-1", "stock", Operation.ACTION, BODY));
        clock.setWall(clock.now().minusSeconds(301));
        assertThat(against(signature, fromTheFuture, BODY)).isPresent();
    }

    @Test
    void aSecretIsReplacedWithoutAPause() {
        CallSignature old = CallSignature.of(WebhookSignature.of(SECRET), clock);
        CallSignature next = CallSignature.of(WebhookSignature.of(NEXT), clock);
        CallSignature both = CallSignature.of(WebhookSignature.of(NEXT, SECRET), clock);
        BranchCall call = call("order-1", "stock", Operation.ACTION, BODY);

        Map<String, String> byBoth =
                with(sent(call), WebhookSignature.SIGNATURE, both.sign(call).get("webhook-signature"));
        assertThat(List.of(old, next, both))
                .allMatch(one -> against(one, byBoth, BODY).isEmpty());
        assertThat(against(both, sent(call), BODY)).isEmpty();
        assertThat(against(next, sent(call), BODY)).isPresent();
    }
}
