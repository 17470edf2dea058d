package dev.tenon.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.server.Node;
import dev.tenon.server.NodeOptions;
import dev.tenon.testkit.TestPort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.HdrHistogram.ConcurrentHistogram;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** How commands say what they have to say: as JSON of a fixed shape, by exit codes, in colours or without. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OutputTest {
    private static final Path DOCS = Path.of("..", "docs", "cli.md");
    private static final String ESCAPE = "\u001b[";

    private Path folder;
    private Node node;
    private int port;

    @BeforeAll
    void start(@TempDir Path shared) {
        folder = shared;
        node = Node.open(NodeOptions.at("127.0.0.1", 0), folder.resolve("data"));
        port = node.port();
        CliRun.of(port, "id", "define", "shown", "--kind", "sequence");
        CliRun.of(port, "id", "next", "shown");
    }

    @AfterAll
    void stop() {
        node.close();
    }

    /** The shapes that docs/cli.md promises. */
    @ParameterizedTest
    @CsvSource({
        "id define other --kind ulid, 'name definition issued unissued'",
        "id next shown -n 2, ids",
        "id decode shown 1, 'id name kind number position'",
        "id ls, ids",
        "id show shown, 'name definition issued highestSeen outlook'",
        "id raise shown --above 100, 'name above next'",
        "id rotate-key, version",
        "lock ls, locks",
        "lock who free, 'name held holders queue'",
        "lock revoke free, asked",
        "bench id -c 2 -t 200ms --batch 3,"
                + "'what name clients seconds calls failed units callsPerSecond unitsPerSecond millis histogram'",
        "bench lock -c 2 -t 200ms --locks 1,"
                + "'what name clients seconds calls failed units callsPerSecond unitsPerSecond millis histogram'",
    })
    void jsonHasAFixedShape(String words, String fields) {
        List<String> all = new ArrayList<>(Arrays.asList(words.split(" ")));
        all.add("--json");
        CliRun run = CliRun.of(port, all.toArray(new String[0]));
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out().strip().lines()).hasSize(1);
        assertThat(run.json().propertyNames()).containsExactlyInAnyOrder(fields.split(" "));
    }

    @ParameterizedTest
    @CsvSource({
        "id next nobody, 1, urn:tenon:problem:unknown-id-name",
        "lock evict free --reason x, 1, urn:tenon:problem:lock-not-held",
        "id next -n 0, 2, urn:tenon:cli:usage",
        "id frob, 2, urn:tenon:cli:usage",
        "bench id --clients 0, 2, urn:tenon:cli:usage",
        "bench id --batch 0, 2, urn:tenon:cli:usage",
        "bench id --time 0s, 2, urn:tenon:cli:usage",
        "bench lock --locks 9, 2, urn:tenon:cli:usage",
        "bench tx --branches 0, 2, urn:tenon:cli:usage",
        "bench tx xa, 2, urn:tenon:cli:usage",
        "bench tx --listen nowhere.invalid, 2, urn:tenon:cli:usage",
        "lock run a --shared --permits 1 --of 2 -- true, 2, urn:tenon:cli:usage",
        "bench id nobody, 1, urn:tenon:problem:unknown-id-name",
    })
    void complaintsAreJsonToo(String words, int exitCode, String type) {
        // Before "--": what comes after it is the command's own.
        List<String> all = new ArrayList<>(Arrays.asList(words.split(" ")));
        int end = all.indexOf("--");
        all.addAll(end < 0 ? all.size() : end, List.of("--json", "--server", "http://127.0.0.1:" + port));
        CliRun run = CliRun.of(all.toArray(new String[0]));
        assertThat(run.exitCode()).as(run.err()).isEqualTo(exitCode);
        JsonNode document = new JsonMapper().readTree(run.err());
        assertThat(document.path("type").asString()).isEqualTo(type);
        assertThat(document.path("title").asString()).isNotEmpty();
        assertThat(document.path("detail").asString()).isNotEmpty();
        assertThat(run.out()).isEmpty();
    }

    @Test
    void aServerThatIsNotThereIsAComplaintToo() {
        try (TestPort free = TestPort.reserve()) {
            for (String words : List.of("id next --json", "bench id --json", "bench lock --json", "bench tx --json")) {
                CliRun run = CliRun.of(free.number(), words.split(" "));
                assertThat(run.exitCode()).isEqualTo(ExitCode.UNREACHABLE.code());
                assertThat(new JsonMapper().readTree(run.err()).path("type").asString())
                        .isEqualTo("urn:tenon:cli:unreachable");
            }
        }
    }

    @Test
    void everyExitCodeIsInTheDocs() throws IOException {
        String docs = Files.readString(DOCS);
        Matcher row = Pattern.compile("(?m)^\\| ([0-9, ]+) \\| ").matcher(docs);
        List<Integer> listed = new ArrayList<>();
        while (row.find()) {
            Arrays.stream(row.group(1).split(","))
                    .map(String::strip)
                    .map(Integer::valueOf)
                    .forEach(listed::add);
        }
        assertThat(listed)
                .containsExactlyElementsOf(
                        Arrays.stream(ExitCode.values()).map(ExitCode::code).toList());
        assertThat(CliRun.of("--help").out()).contains("126").contains("lease lost");
    }

    @Test
    void aMeasurementIsShownWithItsSpread() {
        CliRun run = CliRun.of(port, "bench", "lock", "mine", "-c", "3", "-t", "300ms");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .contains("3 clients")
                .contains("locks")
                .contains("p50")
                .contains("p99.9")
                .contains("0 failed")
                .containsPattern("up to +[\\d.]+ ms +[\\d,]+ #");
        assertThat(CliRun.of(port, "lock", "ls", "mine", "--json").json().path("locks"))
                .as("nothing is left behind")
                .isEmpty();
        JsonNode json = CliRun.of(port, "bench", "id", "-c", "2", "-t", "300ms", "--batch", "10", "--json")
                .json();
        assertThat(json.path("units").asLong())
                .isEqualTo(10 * json.path("calls").asLong())
                .isPositive();
        assertThat(json.path("millis").path("p999").asDouble())
                .isGreaterThanOrEqualTo(json.path("millis").path("p50").asDouble());
        long inBars = 0;
        for (JsonNode bar : json.path("histogram")) {
            inBars += bar.path("calls").asLong();
        }
        assertThat(inBars).isEqualTo(json.path("calls").asLong());
    }

    @Test
    void everyCallIsInOneBar() {
        ConcurrentHistogram micros = new ConcurrentHistogram(600_000_000L, 3);
        for (long value : new long[] {0, 99, 100, 199, 700, 49_999, 50_000, 50_001, 600_000_000}) {
            micros.recordValue(value);
        }
        BenchResult result = new BenchResult(1, Duration.ofSeconds(2), 18, 1, micros);
        JsonNode json = result.json("id", "x");
        assertThat(json.path("callsPerSecond").asLong()).isEqualTo(5); // 4.5
        assertThat(json.path("unitsPerSecond").asLong()).isEqualTo(9);
        List<String> bars = new ArrayList<>();
        long before = -1;
        for (JsonNode bar : json.path("histogram")) {
            if (before >= 0) {
                assertThat(bar.path("fromMillis").asLong()).isEqualTo(before);
            }
            before = bar.path("toMillis").asLong();
            if (bar.path("calls").asLong() > 0) {
                bars.add(bar.path("toMillis").asDouble() + ": "
                        + bar.path("calls").asLong());
            }
        }
        // The histogram keeps three digits: 49.999 ms is 50 ms to it.
        assertThat(bars).containsExactly("0.1: 2", "0.2: 2", "1.0: 1", "100.0: 3", "1000000.0: 1");
        assertThat(new BenchResult(1, Duration.ZERO, 0, 3, new ConcurrentHistogram(10, 3))
                        .json("id", "x")
                        .path("histogram"))
                .isEmpty();
    }

    @Test
    void coloursAndProgressAreForTerminals() throws Exception {
        Map<String, String> xterm = Map.of("TERM", "xterm", "NO_COLOR", "");
        Shell piped = command("", xterm, "id", "ls");
        assertThat(piped.out()).contains("NAME").doesNotContain(ESCAPE);
        assertThat(command("out", xterm, "id", "ls").out()).contains(ESCAPE).contains("NAME");
        assertThat(command("out", Map.of("TERM", "xterm", "NO_COLOR", "1"), "id", "ls")
                        .out())
                .contains("NAME")
                .doesNotContain(ESCAPE);
        Shell many = command("err", xterm, "id", "next", "-n", "25000");
        assertThat(many.out().lines()).hasSize(25_000).allMatch(line -> line.matches("\\d+"));
        assertThat(many.err()).contains("20,000 of 25,000 IDs").endsWith("\r" + ESCAPE + "K");
    }

    private Shell command(String terminals, Map<String, String> environment, String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-D" + Terminals.PROPERTY + "=" + terminals,
                "-cp",
                System.getProperty("java.class.path"),
                TenonCli.class.getName()));
        command.addAll(List.of(words));
        command.addAll(List.of("--server", "http://127.0.0.1:" + port));
        return Shell.run(folder, environment, command);
    }

    @ParameterizedTest
    @CsvSource({
        "'', xterm, '', false, false, true",
        "out, xterm, '', true, false, true",
        "'out,err', xterm, '', true, true, true",
        "',err', xterm, '', false, true, true",
        "out, xterm, 1, true, false, false",
        "out, dumb, '', true, false, false",
    })
    void terminalsAreWhatTheLauncherSays(
            String property, String term, String noColor, boolean out, boolean err, boolean colours) {
        assertThat(Terminals.of(property, Map.of("TERM", term, "NO_COLOR", noColor)))
                .isEqualTo(new Terminals(out, err, colours));
        assertThat(Terminals.of(null, Map.of())).isEqualTo(new Terminals(false, false, false));
    }
}
