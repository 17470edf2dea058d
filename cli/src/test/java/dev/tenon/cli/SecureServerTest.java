package dev.tenon.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.testkit.Punctual;
import dev.tenon.testkit.TestAuthority;
import dev.tenon.testkit.TestPort;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The script of docs/server/security.md, word for word: keys, TLS, a configuration file, and a client that may not do
 * everything.
 */
class SecureServerTest {
    private static final Path SCRIPT = Path.of("..", "examples/src/main/resources/dev/tenon/examples/secure-server.sh")
            .toAbsolutePath();

    @TempDir
    private Path shared;

    @Test
    void theScriptOfTheDocsRuns() throws Exception {
        // Its commands give up a server that they have no connection to after five seconds.
        Punctual.judge(Duration.ofSeconds(2), () -> "", () -> runs(Files.createTempDirectory(shared, "run")));
    }

    private static void runs(Path folder) throws IOException, InterruptedException {
        TestAuthority authority = new TestAuthority("our CA");
        TestAuthority.Identity identity = authority.issue("CN=tenon");
        Files.writeString(folder.resolve("ca.pem"), authority.certificate());
        Files.writeString(folder.resolve("server.pem"), identity.certificate());
        Files.writeString(folder.resolve("server.key"), identity.key());
        Process script;
        String out;
        try (TestPort port = TestPort.reserve()) {
            script = script(folder, port.number());
            out = new String(script.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
        assertThat(script.waitFor(1, TimeUnit.MINUTES)).isTrue();
        String err = Files.readString(folder.resolve("err"));
        assertThat(script.exitValue()).as(err).isZero();
        assertThat(out)
                .contains("Tenon listens on https://127.0.0.1:")
                .containsPattern("token \\d+\n")
                .contains("not under that name");
        assertThat(err).contains("Your key, \"shop\", is restricted to names that begin with shop/");
        String key = Files.readString(folder.resolve("shop.key")).strip();
        assertThat(Files.readString(folder.resolve("tenon-keys.json"))).doesNotContain(key);
        assertThat(out + err).doesNotContain(key);
    }

    private static Process script(Path folder, int port) throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java")
                + " -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp '" + System.getProperty("java.class.path") + "' ";
        Path tenon = folder.resolve("tenon");
        Files.writeString(tenon, """
                #!/bin/sh
                command=$1
                case $command in
                  server) shift; exec JAVA dev.tenon.server.TenonServer "$@" ;;
                  key) shift; exec JAVA dev.tenon.server.TenonKey "$@" ;;
                  *) exec JAVA dev.tenon.cli.TenonCli "$@" ;;
                esac
                """.replace("JAVA ", java));
        assertThat(tenon.toFile().setExecutable(true)).isTrue();
        ProcessBuilder builder = new ProcessBuilder("sh", SCRIPT.toString())
                .directory(folder.toFile())
                .redirectError(folder.resolve("err").toFile());
        builder.environment().put("TENON", tenon.toString());
        builder.environment().put("PORT", String.valueOf(port));
        return builder.start();
    }
}
