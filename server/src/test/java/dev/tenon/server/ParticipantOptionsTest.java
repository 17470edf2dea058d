package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.server.TestClient.Answer;
import dev.tenon.server.tx.TransactionService;
import dev.tenon.testkit.TestAuthority;
import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.Operation;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.http.HttpTargets;
import dev.tenon.tx.spi.TransactionStore;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Which participants a server calls, as its options say, and with whose signature. */
class ParticipantOptionsTest {
    private static final String URL = "http://shop.example/tx/a";

    @TempDir
    private Path folder;

    @BeforeEach
    void files() throws IOException {
        TestAuthority authority = new TestAuthority("Tenon Test");
        TestAuthority.Identity identity = authority.issue("CN=tenon");
        Files.writeString(folder.resolve("ca"), authority.certificate());
        Files.writeString(folder.resolve("cert"), identity.certificate());
        Files.writeString(folder.resolve("key"), identity.key());
        Files.writeString(folder.resolve("keys"), "{\"keys\":[]}");
        Files.writeString(folder.resolve("secrets"), "stock: whsec_" + "b3VycyBv".repeat(4));
    }

    private Protection protection(String options) {
        AccessOptions parsed = new AccessOptions();
        String[] arguments = options.isEmpty()
                ? new String[0]
                : options.replace("@", folder + "/").split(" ");
        CommandLine.Model.CommandSpec spec =
                CommandLine.Model.CommandSpec.create().addMixin("access", mixin(parsed));
        new CommandLine(spec).parseArgs(arguments);
        return parsed.checked().protection();
    }

    private static CommandLine.Model.CommandSpec mixin(AccessOptions options) {
        return CommandLine.Model.CommandSpec.forAnnotatedObject(options);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--api-keys @keys", "--tls-cert @cert --tls-key @key --tls-client-ca @ca"})
    void withKeysOrCertificatesInForceNobodyIsCalledUnlessTheServerIsToldWhom(String access) {
        HttpTargets nobody = protection(access).participants();
        assertThatThrownBy(() -> nobody.require(URL))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--participants URL")
                .hasMessageContaining("--participants any");
        HttpTargets one =
                protection(access + " --participants http://shop.example/tx").participants();
        assertThat(one.require(URL)).isEqualTo(URI.create(URL));
        assertThatThrownBy(() -> one.require("http://169.254.169.254/latest"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(protection(access + " --participants any").participants().require(URL))
                .isEqualTo(URI.create(URL));
    }

    @Test
    void withoutKeysAnybodyIsCalled() {
        assertThat(protection("").participants().require(URL)).isEqualTo(URI.create(URL));
    }

    private static TransactionDraft begunBefore(String gid, String url) {
        return new TransactionDraft(
                new TransactionId(gid),
                TransactionKind.MESSAGE,
                TransactionService.SERVICE,
                "",
                "",
                Optional.empty(),
                TransactionState.COMMITTING,
                Duration.ofDays(1),
                RetryPolicy.FOR_EVER,
                List.of(BranchRecord.planned("a", Map.of(Operation.DELIVER, url), "")));
    }

    @Test
    void aTransactionIsRefusedOneOfBeforeWaitsAndLocksAreHeld() {
        Protection keyed = protection("--api-keys @keys");
        MemoryServerBackend backend = new MemoryServerBackend();
        TransactionStore log = backend.transactions().orElseThrow();
        log.begin(begunBefore("b", URL), Optional.empty(), Duration.ZERO);
        try (Node node = Node.start(NodeOptions.at("127.0.0.1", 0).withProtection(keyed), backend)) {
            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(log.find(new TransactionId("b"))
                                    .orElseThrow()
                                    .branches()
                                    .get(0)
                                    .lastError())
                            .hasValueSatisfying(why -> assertThat(why).contains("--participants")));
            TestClient client = new TestClient(node.port());
            Answer refused = client.post(
                    "/v1/transactions",
                    "{\"kind\":\"message\",\"targets\":[{\"name\":\"a\",\"url\":\"" + URL + "\"}]}");
            assertThat(refused.problem()).as(refused.text()).isEqualTo("bad-transaction");
            assertThat(refused.text()).contains("--participants");
            assertThat(client.post("/v1/sessions", "{\"ttl\":\"PT30S\"}").status())
                    .isEqualTo(201);
        }
    }

    @Test
    void aTargetHasASecretOfTheFile() {
        HttpTargets signed = protection(
                        "--webhook-secrets @secrets --sign-calls http://shop.example/tx=stock,grpc://card:90=stock")
                .participants();
        assertThat(signed.secret(URI.create(URL))).hasValue("stock");
        assertThat(signed.secret(URI.create("grpc://card:90/x"))).hasValue("stock");
        assertThat(signed.secret(URI.create("http://shop.example/other"))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--sign-calls http://shop.example/tx=stock",
                "--webhook-secrets @secrets --sign-calls http://shop.example/tx=stok",
                "--webhook-secrets @secrets --sign-calls http://shop.example/tx",
                "--webhook-secrets @secrets --sign-calls shop.example=stock",
                "--webhook-secrets @secrets --sign-calls http://shop.example=stock,http://shop.example:80/=stock",
                "--webhook-secrets @secrets --sign-calls http://shop.example=whsec_bmV4dG9u",
                "--participants any,http://shop.example",
            })
    void whatMeansNothingEndsTheStart(String options) {
        assertThatThrownBy(() -> protection(options))
                .isInstanceOf(StartException.class)
                .hasMessageNotContaining("bmV4dG9u");
    }
}
