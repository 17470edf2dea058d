package dev.tenon.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.server.Node;
import dev.tenon.testkit.TestPort;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

/** Every command but {@code lock run}, against a durable node. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CommandsTest {
    private Node node;
    private int port;

    @BeforeAll
    void start(@TempDir Path folder) {
        node = Node.open(folder, "127.0.0.1", 0);
        port = node.port();
    }

    @AfterAll
    void stop() {
        node.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "id",
                "lock",
                "id frob",
                "id next -n 0",
                "id next -n x",
                "id next a b",
                "id define a",
                "id define a --kind segment --start x",
                "id define a --kind snowflake --layout {",
                "lock who",
                "lock evict a",
                "lock run a",
                "lock run a --wait soon -- true",
                "lock run a --wait -5s -- true",
                "lock run a --lease 1ms -- true",
                "id next --server nowhere",
                "id next --server ftp://a",
            })
    void wrongUsageIsExplained(String words) {
        CliRun run = CliRun.of(words.isEmpty() ? new String[0] : words.split(" "));
        assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.USAGE.code());
        assertThat(run.err()).isNotBlank();
        assertThat(run.out()).isEmpty();
    }

    @Test
    void aServerThatIsNotThereIsSaidInOneLine() {
        try (TestPort free = TestPort.reserve()) {
            CliRun run = CliRun.of(free.number(), "id", "next");
            assertThat(run.exitCode()).isEqualTo(ExitCode.UNREACHABLE.code());
            assertThat(run.err().strip().lines()).hasSize(1);
            assertThat(run.err()).contains("./tenon server").contains("--server");
        }
    }

    @Test
    void aRefusalIsTheServersDetail() {
        CliRun run = CliRun.of(port, "id", "next", "nobody");
        assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(run.err()).contains("./tenon id define nobody");
        CliRun json = CliRun.of(port, "id", "next", "nobody", "--json");
        assertThat(json.exitCode()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(json.err()).contains("\"type\":\"urn:tenon:problem:unknown-id-name\"");
        assertThat(CliRun.of(port, "id", "define", "x", "--kind", "uuid").exitCode())
                .isEqualTo(ExitCode.REFUSED.code());
        assertThat(CliRun.of(port, "id", "decode", "abc").exitCode()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(CliRun.of(port, "lock", "evict", "free", "--reason", "x").exitCode())
                .isEqualTo(ExitCode.REFUSED.code());
    }

    @Test
    void idsAreDefinedDrawnDecodedAndListed() {
        CliRun defined = CliRun.of(
                port,
                "id",
                "define",
                "or der",
                "--kind",
                "segment",
                "--prefix",
                "ORD",
                "--machine-index",
                "7",
                "--code",
                "12",
                "--start",
                "100",
                "--step",
                "500");
        assertThat(defined.exitCode()).as(defined.err()).isZero();
        assertThat(defined.out()).contains("\"prefix\":\"ORD\"");
        assertThat(CliRun.of(port, "id", "next", "or der", "-n", "2").out()).isEqualTo("ORD7100\nORD7101\n");
        CliRun decoded = CliRun.of(port, "id", "decode", "or der", "ORD7101", "--json");
        assertThat(decoded.json().path("number").asLong()).isEqualTo(101);
        assertThat(CliRun.of(port, "id", "ls").out()).contains("or der").contains("default");
        assertThat(CliRun.of(port, "id", "ls", "--json").json().path("ids")).isNotEmpty();
        CliRun custom = CliRun.of(
                port,
                "id",
                "define",
                "custom",
                "--kind",
                "snowflake",
                "--layout",
                "{\"timeBits\":40,\"workerBits\":8,\"sequenceBits\":10,\"epoch\":\"2020-01-01T00:00:00Z\"}",
                "--json");
        assertThat(custom.json()
                        .path("definition")
                        .path("layout")
                        .path("workerBits")
                        .asInt())
                .isEqualTo(8);
    }

    @Test
    void moreIdsThanABatchAreDrawn() {
        CliRun run = CliRun.of(port, "id", "next", "-n", "25000");
        assertThat(run.out().lines().distinct()).hasSize(25_000);
        CliRun json = CliRun.of(port, "id", "next", "-n", "3", "--json");
        assertThat(json.json().path("ids")).hasSize(3);
        String id = json.json().path("ids").path(0).asString();
        assertThat(CliRun.of(port, "id", "decode", id).out())
                .contains("workerId")
                .contains("sequence");
    }

    @Test
    void locksAreShownAndTakenAway() {
        ServerClient client = new ServerClient(java.net.URI.create("http://127.0.0.1:" + port));
        String session = client.send("POST", "/v1/sessions", Map.of("owner", "somebody"), Duration.ofSeconds(5))
                .path("id")
                .asString();
        client.send("POST", "/v1/locks/st%2Fock/acquire", Map.of("session", session), Duration.ofSeconds(5));
        assertThat(CliRun.of(port, "lock", "who", "st/ock").out()).contains("held by somebody");
        assertThat(CliRun.of(port, "lock", "ls").out()).contains("st/ock").contains("somebody");
        assertThat(CliRun.of(port, "lock", "ls", "other").out()).doesNotContain("st/ock");
        assertThat(CliRun.of(port, "lock", "ls", "st/", "--json").json().path("locks"))
                .hasSize(1);
        CliRun evicted = CliRun.of(port, "lock", "evict", "st/ock", "--reason", "a test & more");
        assertThat(evicted.exitCode()).as(evicted.err()).isZero();
        assertThat(evicted.out()).contains("somebody");
        assertThat(CliRun.of(port, "lock", "who", "st/ock").out()).contains("free");
    }

    @Test
    void helpAndVersionAreThere() {
        assertThat(CliRun.of("--help").out()).contains("id").contains("lock").contains("tenon server");
        assertThat(CliRun.of("lock", "run", "--help").out()).contains("TENON_FENCING_TOKEN");
        assertThat(CliRun.of("--version").out()).startsWith("tenon ");
    }

    @ParameterizedTest
    @CsvSource({"5s,PT5S", "250ms,PT0.25S", "2m,PT2M", "1h,PT1H", "1d,PT24H", "PT5S,PT5S", "0s,PT0S", "P1D,PT24H"})
    void durationsAreReadBothWays(String text, Duration duration) {
        assertThat(new Durations().convert(text)).isEqualTo(duration);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5", "s", "5 s", "-5s", "-PT5S", "5w", "99999999999s"})
    void whatIsNoDurationIsRefused(String text) {
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> new Durations().convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("5s");
    }
}
