package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.server.TestClient.Answer;
import dev.tenon.server.access.Caller;
import dev.tenon.server.access.LiveSecrets;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.http.HttpParticipants;
import dev.tenon.tx.notify.WebhookSignature;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Notifications that a server signs with secrets of a file: callers, logs and answers have their names, and nothing
 * more.
 */
class WebhookSecretsTest {
    private static final String OLD = "whsec_" + "b2xkb25l".repeat(4);
    private static final String NEXT = "whsec_" + "bmV4dG9u".repeat(4);

    @TempDir
    private Path folder;

    private Path file;
    private LiveSecrets secrets;
    private MemoryServerBackend backend;
    private Participant shop;

    @BeforeEach
    void open() throws Exception {
        file = Files.writeString(folder.resolve("secrets.yaml"), "orders/hook: " + OLD + "\n");
        secrets = new LiveSecrets(file);
        backend = new MemoryServerBackend();
        shop = new Participant();
    }

    @AfterEach
    void close() {
        shop.close();
    }

    private Node node(String... prefixes) {
        return Node.start(
                NodeOptions.at("127.0.0.1", 0)
                        .withGate((visitor, need, name) -> new Caller("orders", "", List.of(prefixes)))
                        .withProtection(Protection.DEFAULT.withSecrets(secrets)),
                backend);
    }

    private Answer begin(Node node, String gid, String secret) {
        String body = "{'gid':'" + gid + "','kind':'notify','url':'" + shop.url("/hook") + "','payload':{'paid':true},"
                + "'schedule':{'first':'PT0.05S','cap':'PT0.1S'},'secret':'" + secret + "'}";
        return new TestClient(node.port()).post("/v1/transactions", body.replace('\'', '"'));
    }

    private static boolean isSigned(Participant.Call call, String secret) {
        return WebhookSignature.of(secret)
                .isValid(
                        call.header("Webhook-id"),
                        call.header("Webhook-timestamp"),
                        call.header("Webhook-signature"),
                        call.body(),
                        Instant.now());
    }

    @Test
    void theLogHasTheNameAndNotTheSecret() {
        try (Node node = node("")) {
            assertThat(begin(node, "orders-1", "orders/hook").status()).isEqualTo(200);
            await().until(() -> log("orders-1").state().isFinal());
        }
        assertThat(shop.calls()).isNotEmpty().allMatch(call -> isSigned(call, OLD));
        assertThat(log("orders-1").toString())
                .contains(HttpParticipants.signed(shop.url("/hook"), "orders/hook"))
                .doesNotContain("whsec_");
    }

    @Test
    void whatIsOnItsWayIsSignedWithTheSecretThatTookItsPlace() throws Exception {
        shop.answers("/hook", (call, n) -> new Participant.Said(isSigned(call, NEXT) ? 204 : 500, ""));
        try (Node node = node("")) {
            begin(node, "orders-2", "orders/hook");
            await().until(() -> !shop.calls().isEmpty());
            Files.writeString(file, "{\"orders/hook\": [\"" + NEXT + "\", \"" + OLD + "\"]}");
            secrets.runOnce();
            await().until(() -> log("orders-2").state().isFinal());
        }
        Participant.Call last = shop.calls().get(shop.calls().size() - 1);
        assertThat(isSigned(last, NEXT) && isSigned(last, OLD)).isTrue();
    }

    @Test
    void withoutItsSecretACallIsNotMade() throws Exception {
        try (Node node = node("")) {
            shop.answers("/hook", 500);
            begin(node, "orders-3", "orders/hook");
            await().until(() -> !shop.calls().isEmpty());
            Files.writeString(file, "other: a word that both know\n");
            secrets.runOnce();
            await().untilAsserted(() -> assertThat(
                            log("orders-3").branches().get(0).lastError())
                    .hasValueSatisfying(why -> assertThat(why).contains("no webhook secret", "orders/hook")));
        }
        assertThat(shop.calls()).allMatch(call -> isSigned(call, OLD));
    }

    @Test
    void aSecretInTheNamesPlaceIsRefusedAndKeptNowhere() {
        try (Node node = node("")) {
            for (String given : List.of(OLD, "hunter2 of ours", "x\\u0000")) {
                Answer refused = begin(node, "orders-4", given);
                assertThat(refused.problem()).isEqualTo("bad-transaction");
                assertThat(refused.json().path("field").asString()).isEqualTo("secret");
                assertThat(refused.text()).doesNotContain("hunter2").doesNotContain(OLD);
            }
        }
        assertThat(backend.transactions().orElseThrow().find(new TransactionId("orders-4")))
                .isEmpty();
    }

    @Test
    void aCallerSignsOnlyWithSecretsWhoseNamesItSees() {
        try (Node node = node("orders", "bank")) {
            assertThat(begin(node, "orders-5", "orders/hook").status()).isEqualTo(200);
        }
        try (Node node = node("bank")) {
            assertThat(begin(node, "bank-5", "orders/hook").status()).isEqualTo(403);
        }
    }

    @Test
    void aFileThatIsWrongSaysSoAndNotWhatIsInIt() throws Exception {
        for (String wrong : List.of(
                "",
                "- " + OLD,
                OLD,
                OLD + ": " + NEXT,
                "orders:\n  deep: " + OLD,
                "orders: [",
                "orders: 'whsec_c2hvcnQ='",
                "orders: []",
                "orders: 12345")) {
            Files.writeString(file, wrong);
            assertThatThrownBy(() -> new LiveSecrets(file))
                    .as(wrong)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("secrets.yaml")
                    .hasMessageNotContaining(OLD)
                    .hasMessageNotContaining("12345")
                    .hasMessageNotContaining("c2hvcnQ");
        }
        secrets.runOnce();
        assertThat(secrets.find("orders/hook")).isPresent();
    }

    private TransactionRecord log(String gid) {
        return backend.transactions().orElseThrow().find(new TransactionId(gid)).orElseThrow();
    }
}
