package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.Timestamp;
import dev.tenon.id.WorkerId;
import dev.tenon.protocol.ClaimWorkerIdRequest;
import dev.tenon.protocol.NextIdByCodeRequest;
import dev.tenon.protocol.NextIdsRequest;
import dev.tenon.server.TestClient.Answer;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A server over a store that may have forgotten who holds its worker IDs: nobody waits in a request, and everybody is
 * told.
 */
@Execution(ExecutionMode.CONCURRENT) // they wait
class ForgetfulStoreTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String NEXT = "tenon.v1.Ids/Next";
    private static final String BY_CODE = "tenon.v1.Ids/NextByCode";

    private final ForgetfulWorkerIds store = new ForgetfulWorkerIds();
    private final Node node = Node.start(NodeOptions.at("127.0.0.1", 0), store.backend());
    private final TestClient client = new TestClient(node.port());

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void whoAsksIsToldWhenToComeAgain() {
        Answer refused = client.post("/v1/ids/default/next", "");
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.problem()).isEqualTo("ids-unavailable");
        assertThat(refused.json().path("detail").asString())
                .contains("may have forgotten", "\"default\"", "Nothing happened");
        assertThat(Duration.parse(refused.json().path("retryAfter").asString()))
                .isBetween(Duration.ofSeconds(29), Duration.ofSeconds(31));
        assertThat(Integer.parseInt(refused.header("Retry-After"))).isBetween(30, 32);

        Answer ready = client.fetch("/readyz");
        assertThat(ready.status()).as("others are served").isEqualTo(200);
        assertThat(Duration.parse(ready.json().path("waiting").path("default").asString()))
                .isBetween(Duration.ofMillis(1), Duration.ofSeconds(31));
        assertThat(client.fetch("/metrics").text()).contains("tenon_worker_ids_waiting 1.0");

        store.now = store.now.plusSeconds(31);
        assertThat(client.post("/v1/ids/default/next", "").status()).isEqualTo(200);
    }

    @Test
    void aWorkerIdThatWasForgottenIsAnAlarm() {
        store.incarnation = "";
        assertThat(client.post("/v1/ids/default/next", "").status()).isEqualTo(200);
        assertThat(client.fetch("/healthz").json().has("forgotten")).isFalse();
        store.forget();
        await().atMost(PATIENCE)
                .until(() -> client.fetch("/healthz").json().path("forgotten").has("default"));
        assertThat(client.fetch("/readyz")
                        .json()
                        .path("forgotten")
                        .path("default")
                        .asString())
                .contains("had forgotten that worker ID 0 is held");
        assertThat(client.fetch("/metrics").text()).contains("tenon_worker_ids_forgotten_total 1.0");
        assertThat(client.post("/v1/ids/default/next", "").status()).isEqualTo(200);
    }

    @Test
    void whoHasLostItsWorkerIdSaysThatOthersMayHaveOne() {
        store.incarnation = "";
        client.put("/v1/ids/coded", "{\"kind\":\"snowflake\",\"code\":9}");
        Buffer next = BareCalls.framed(
                NextIdsRequest.newBuilder().setName("coded").build().toByteArray());
        Buffer byCode = BareCalls.framed(
                NextIdByCodeRequest.newBuilder().setCode(9).build().toByteArray());
        try (BareCalls calls = new BareCalls(node.port())) {
            assertThat(calls.call(NEXT, next).reason()).isEmpty();
            assertThat(calls.call(BY_CODE, byCode).reason()).isEmpty();
            store.down = true;
            String first =
                    await().atMost(PATIENCE).until(() -> calls.call(NEXT, next).reason(), reason -> !reason.isEmpty());
            assertThat(first).isEqualTo("UNAVAILABLE");
            assertThat(calls.call(NEXT, next).reason()).isEqualTo("UNAVAILABLE");
            assertThat(calls.call(BY_CODE, byCode).reason()).isEqualTo("UNAVAILABLE");
        }
    }

    /** After a start of the store, others would wait for as long. */
    @Test
    void aLeaseOfMoreThanADayIsRefused() {
        Duration tooLong = WorkerId.Builder.LEASE_MAX.plusSeconds(1);
        ClaimWorkerIdRequest claim = ClaimWorkerIdRequest.newBuilder()
                .setGroup("long")
                .setRequestId("r")
                .setOwner("me")
                .setLayout("l")
                .setCapacity(4)
                .setReserve(com.google.protobuf.Duration.newBuilder().setSeconds(1))
                .setNow(Timestamp.newBuilder().setSeconds(1_000_000_000))
                .setNewStore(true)
                .setLease(com.google.protobuf.Duration.newBuilder().setSeconds(tooLong.toSeconds()))
                .build();
        try (BareCalls calls = new BareCalls(node.port())) {
            BareCalls.Answer refused = calls.call("tenon.v1.WorkerIds/Claim", BareCalls.framed(claim.toByteArray()));
            assertThat(refused.reason()).isEqualTo("BAD_ARGUMENT");
            assertThat(store.table.census("long", store.now)).isEmpty();
            ClaimWorkerIdRequest right = claim.toBuilder()
                    .setLease(com.google.protobuf.Duration.newBuilder().setSeconds(30))
                    .build();
            assertThat(calls.call("tenon.v1.WorkerIds/Claim", BareCalls.framed(right.toByteArray()))
                            .reason())
                    .isEmpty();
        }
    }
}
