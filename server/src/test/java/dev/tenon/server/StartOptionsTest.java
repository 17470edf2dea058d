package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.testkit.ForkedJvm;
import dev.tenon.testkit.TestAuthority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** With which options about access a server starts, and with which it does not. */
class StartOptionsTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

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
        Files.writeString(folder.resolve("config"), "prot: 1");
    }

    private String[] arguments(String text) {
        return text.replace("@", folder + "/").split(" ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--host 0.0.0.0",
                "--host 0.0.0.0 --api-keys @keys",
                "--host 0.0.0.0 --tls-cert @cert --tls-key @key",
                "--tls-cert @cert",
                "--tls-key @key",
                "--tls-client-ca @ca",
                "--tls-cert @key --tls-key @cert",
                "--tls-cert @cert --tls-key @key --tls-client-ca @ca --tls-client-optional",
                "--api-keys @nowhere",
                "--api-keys @cert",
                "--audit-log @keys/audit",
                "--rate-limit -1",
                "--max-connections 0",
                "--max-header-size 10",
                "--idle-timeout 0s",
                "--idle-timeout soon",
                "--request-timeout 2d",
                "--config @config",
                "--config @nowhere",
            })
    void whatWouldBeOpenOrMeansNothingIsRefused(String options) {
        assertThat(TenonServer.run(arguments("--port 0 --data @data " + options)))
                .isEqualTo(ServerExitCode.USAGE.code());
        assertThat(folder.resolve("data")).doesNotExist();
    }

    @Test
    void withKeysAndTlsItListensWhereOthersReachItAndWritesItsAuditLog() throws IOException {
        try (ForkedJvm jvm = ServerProcess.launch(
                arguments(
                        "--port 0 --data @data --host 0.0.0.0 --api-keys @keys --tls-cert @cert --tls-key @key --audit-log @audit"))) {
            assertThat(jvm.nextLine(LIMIT)).startsWith("Tenon listens on https://0.0.0.0:");
            TenonKey.line().execute(arguments("create shop --role read --api-keys @keys"));
            await().atMost(LIMIT).until(() -> Files.size(folder.resolve("audit")) > 0);
            assertThat(Files.readString(folder.resolve("audit")))
                    .startsWith("{\"time\":\"20")
                    .contains("\"what\":\"key-created\"", "\"on\":\"shop\"")
                    .endsWith("}\n");
        }
    }
}
