package dev.tenon.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.server.Node;
import dev.tenon.server.NodeOptions;
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
        node = Node.open(NodeOptions.at("127.0.0.1", 0), folder);
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
                "id next --shard-key",
                "id next a b",
                "id define a",
                "id raise",
                "id rm",
                "id rm a b",
                "id raise a --above x",
                "id raise a --above -1",
                "id define a --kind segment --start x",
                "id define a --kind snowflake --layout {",
                "id define a --kind template --template {seq} --reset {",
                "id define a --kind uuid --uuid-version seven",
                "id define a --kind interleaved --nodes 3.5",
                "id rotate-key now",
                "id show a b",
                "lock who",
                "lock evict a",
                "lock run a",
                "lock run a --wait soon -- true",
                "lock run a --wait -5s -- true",
                "lock run a --lease 1ms -- true",
                "lock run a --mode some -- true",
                "lock run a --permits 1 -- true",
                "lock run a --mode shared --permits 1 --of 2 -- true",
                "lock revoke",
                "id next --server nowhere",
                "id next --server ftp://a",
                "id next --server http://a,,http://b",
                "cluster",
                "cluster add n4",
                "cluster remove",
                "cluster transfer",
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
        assertThat(CliRun.of(port, "id", "define", "x", "--kind", "uuid9").exitCode())
                .isEqualTo(ExitCode.REFUSED.code());
        assertThat(CliRun.of(port, "id", "define", "x", "--kind", "ulid", "--start", "5")
                        .err())
                .contains("start")
                .contains("allowed");
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
    void everyKindIsDefinedDrawnAndDecoded() {
        assertKind(
                "ORD\\d{14}", "day", "--kind template --template ORD{yyyyMMdd}{seq:6} --reset daily --time-zone UTC");
        assertKind(
                "FY\\d{4}-1",
                "year", "--kind template --template FY{yyyy}-{seq} --reset {\"fiscalYearStart\":\"04-01\"}");
        assertKind("[0-9a-f-]{36}", "", "--kind uuid --uuid-version 4");
        assertKind("[0-9A-Z]{26}", "", "--kind ulid");
        assertKind("[0-9a-f]{24}", "", "--kind objectid");
        assertKind("user_[0-9a-z]{26}", "", "--kind typeid --type-prefix user");
        assertKind("\\d+", "left", "--kind shuffled --step 50");
        assertKind("3", "left", "--kind interleaved --nodes 5 --node 3");
        assertKind("ord_\\w{13}", "999,999 left", "--kind sequence --max 999999 --public-type ord");
        assertKind("\\d+", "expires 2188-", "--kind snowflake --layout sonyflake --lane strict");
        CliRun.of(port, "id", "define", "genes", "--kind", "gene", "--shard-bits", "4");
        assertThat(CliRun.of(port, "id", "next", "genes").err()).contains("--shard-key");
        CliRun gene = CliRun.of(port, "id", "next", "genes", "-n", "2", "--shard-key", "user 7");
        assertThat(CliRun.of(
                                port,
                                "id",
                                "decode",
                                "genes",
                                gene.out().lines().findFirst().orElse(""))
                        .out())
                .contains("shard");
        CliRun rotated = CliRun.of(port, "id", "rotate-key");
        assertThat(rotated.out()).as(rotated.err()).contains("written with key 1");
    }

    private void assertKind(String id, String outlook, String options) {
        String name = "kind" + Math.abs(options.hashCode());
        CliRun defined = CliRun.of(
                port,
                java.util.stream.Stream.concat(
                                java.util.stream.Stream.of("id", "define", name),
                                java.util.stream.Stream.of(options.split(" ")))
                        .toArray(String[]::new));
        assertThat(defined.exitCode()).as(defined.err()).isZero();
        assertThat(defined.out()).contains(name + " is defined as").contains(outlook);
        String drawn = CliRun.of(port, "id", "next", name).out().strip();
        assertThat(drawn).matches(id);
        CliRun decoded = CliRun.of(port, "id", "decode", name, drawn);
        assertThat(decoded.out()).as(decoded.err()).contains(drawn).contains(name);
        assertThat(CliRun.of(port, "id", "decode", name, drawn + "!").exitCode())
                .isEqualTo(ExitCode.REFUSED.code());
        assertThat(CliRun.of(port, "id", "show", name).exitCode()).isZero();
    }

    @Test
    void whoDefinesACodeIsToldItsCallAndWhereJavaScriptWouldRound() {
        CliRun defined = CliRun.of(port, "id", "define", "web", "--kind", "snowflake", "--code", "77");
        assertThat(defined.out())
                .contains("by code: GET /id-builder/increase-seq-id-str?code=77")
                .contains("WARNING: ")
                .contains("JavaScript");
        assertThat(CliRun.of(port, "id", "show", "web").out())
                .contains("increase-seq-id-str?code=77")
                .contains("JavaScript")
                .doesNotContain("byCode");
        CliRun counted = CliRun.of(port, "id", "define", "counted", "--kind", "segment", "--code", "78");
        assertThat(counted.out()).contains("by code: GET").doesNotContain("JavaScript");
    }

    @Test
    void numbersAreRaisedAndShown() {
        CliRun.of(port, "id", "define", "raised", "--kind", "sequence", "--max", "100000");
        assertThat(CliRun.of(port, "id", "raise", "raised").err()).contains("--above");
        assertThat(CliRun.of(port, "id", "raise", "default", "--above", "5").err())
                .contains("snowflake");
        CliRun used = CliRun.of(port, "id", "raise", "raised", "--above", "100000");
        assertThat(used.exitCode()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(used.err()).contains("nothing would be left");
        assertThat(CliRun.of(port, "id", "raise", "raised", "--above", "500").out())
                .isEqualTo("raised goes on at 501, above 500\n");
        assertThat(CliRun.of(port, "id", "next", "raised").out()).isEqualTo("501\n");
        assertThat(CliRun.of(port, "id", "show", "raised").out())
                .contains("highestSeen  501")
                .contains("99,499 left")
                .contains("27 h at 1/s")
                .contains("1 min at 1,000/s");
        CliRun.of(port, "id", "next");
        assertThat(CliRun.of(port, "id", "show").out())
                .contains("expires 2080-07-10")
                .contains("up to 1024 workers, each of up to 4,096,000 IDs/s")
                .contains("WORKER ID");
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
        String session = client.send(
                        "POST", "/v1/sessions", Map.of("owner", "somebody", "ttl", "PT10M"), ServerClient.TIMEOUT)
                .path("id")
                .asString();
        client.send("POST", "/v1/locks/st%2Fock/acquire", Map.of("session", session), ServerClient.TIMEOUT);
        assertThat(CliRun.of(port, "lock", "who", "st/ock").out()).contains("held by somebody");
        assertThat(CliRun.of(port, "lock", "ls").out()).contains("st/ock").contains("somebody");
        assertThat(CliRun.of(port, "lock", "ls", "other").out()).doesNotContain("st/ock");
        assertThat(CliRun.of(port, "lock", "ls", "st/", "--json").json().path("locks"))
                .hasSize(1);
        assertThat(CliRun.of(port, "lock", "revoke", "st/ock", "--by", "ops").out())
                .contains("1 asked");
        assertThat(CliRun.of(port, "lock", "who", "st/ock").out()).contains("asked back by ops");
        assertThat(CliRun.of(port, "lock", "revoke", "none").out()).contains("free");
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

    @Test
    void aDefinitionIsDeletedUntilItsFirstId() {
        String server = "http://127.0.0.1:" + port;
        assertThat(CliRun.of("id", "define", "gone", "--kind", "uuid", "--server", server)
                        .exitCode())
                .isZero();
        CliRun deleted = CliRun.of("id", "rm", "gone", "--server", server);
        assertThat(deleted.exitCode()).as(deleted.err()).isZero();
        assertThat(deleted.out()).contains("gone is no longer defined");
        assertThat(CliRun.of("id", "ls", "--server", server).out()).doesNotContain("gone");
        CliRun.of("id", "define", "stays", "--kind", "uuid", "--server", server);
        CliRun.of("id", "next", "stays", "--server", server);
        CliRun refused = CliRun.of("id", "rm", "stays", "--server", server);
        assertThat(refused.exitCode()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(refused.err()).contains("were issued");
        assertThat(CliRun.of("id", "ls", "--server", server).out()).contains("stays");
    }
}
