package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.testkit.TestAuthority;
import dev.tenon.tx.http.HttpTargets;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
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
            })
    void whatMeansNothingEndsTheStart(String options) {
        assertThatThrownBy(() -> protection(options))
                .isInstanceOf(StartException.class)
                .hasMessageNotContaining("bmV4dG9u");
    }
}
