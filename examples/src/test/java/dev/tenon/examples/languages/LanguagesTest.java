package dev.tenon.examples.languages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.lock.FencingGuard;
import dev.tenon.server.Node;
import dev.tenon.server.NodeOptions;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The programs of {@code examples/languages}, which know the HTTP interface and nothing else, against a durable node.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LanguagesTest {
    private static final int TIMES = 4;
    private static final int STOCK = 100;
    private static final Map<String, List<String>> PROGRAMS = Map.of(
            "sh", List.of("sh", "languages/guarded-stock.sh"),
            "python", List.of("python3", "languages/guarded-stock.py"),
            "node", List.of("node", "languages/guarded-stock.mjs"));

    private Path folder;
    private Node node;

    @BeforeAll
    void start(@TempDir Path shared) {
        folder = shared;
        node = Node.open(NodeOptions.at("127.0.0.1", 0), folder.resolve("data"));
    }

    @AfterAll
    void stop() {
        node.close();
    }

    @Test
    void allOfThemShareOneStockThoughAnswersGetLost() throws Exception {
        Map<String, FaultyFront> fronts = new HashMap<>();
        Map<String, Program> running = new HashMap<>();
        try (Stock stock = new Stock(STOCK)) {
            for (Map.Entry<String, List<String>> program : PROGRAMS.entrySet()) {
                FaultyFront front = new FaultyFront(node.port());
                fronts.put(program.getKey(), front);
                running.put(
                        program.getKey(),
                        Program.start(folder, program.getValue(), front.url(), stock.url(), String.valueOf(TIMES)));
            }
            List<String> orders = new ArrayList<>();
            for (Map.Entry<String, Program> program : running.entrySet()) {
                Program.End end = program.getValue().end();
                String language = program.getKey();
                assertThat(end.exitCode()).as("%s: %s", language, end).isZero();
                assertThat(end.errors()).as(language).isEmpty();
                assertThat(end.lines()).as(language).contains("asking again, after 503");
                assertThat(end.lines()).as(language).containsAnyOf("asking again, after 0", "asking again, after 000");
                end.lines().stream()
                        .filter(l -> l.startsWith("order "))
                        .map(l -> l.split(" ")[1])
                        .forEach(orders::add);
                // The refused one, the one whose answer was lost, and the one that was answered are one request.
                List<String> acquires = fronts.get(language).acquires();
                assertThat(acquires.subList(0, 3)).as(language).containsOnly(acquires.get(0));
                assertThat(acquires.stream().distinct()).as(language).hasSize(TIMES);
            }
            assertThat(orders).hasSize(3 * TIMES).doesNotHaveDuplicates();
            assertThat(stock.left()).isEqualTo(STOCK - 3 * TIMES);
            assertThat(stock.tokens().stream().map(Long::valueOf).toList())
                    .hasSize(3 * TIMES)
                    .doesNotHaveDuplicates()
                    .isSorted();
            assertThat(locks()).isEqualTo("{\"locks\":[]}");
        } finally {
            running.values().forEach(Program::close);
            fronts.values().forEach(FaultyFront::close);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sh", "python", "node"})
    void whoComesLateIsRefusedAndLeavesNothingBehind(String language) throws Exception {
        try (Stock stock = new Stock(STOCK)) {
            stock.isPast(Long.MAX_VALUE);
            try (Program program =
                    Program.start(folder, PROGRAMS.get(language), "http://127.0.0.1:" + node.port(), stock.url())) {
                Program.End end = program.end();
                assertThat(end.exitCode()).as("%s", end).isEqualTo(1);
                assertThat(end.errors()).contains("too late");
            }
            assertThat(stock.left()).isEqualTo(STOCK);
            assertThat(locks()).isEqualTo("{\"locks\":[]}");
        }
    }

    @Test
    void theStockOfThePageRefusesWhoComesLate() throws Exception {
        HttpClient http = HttpClient.newHttpClient();
        try (Program stock = Program.start(folder, List.of("python3", "languages/stock.py"))) {
            URI address = URI.create(stock.line());
            try (Program program = Program.start(
                    folder, PROGRAMS.get("python"), "http://127.0.0.1:" + node.port(), address.toString(), "2")) {
                Program.End end = program.end();
                assertThat(end.exitCode()).as("%s", end).isZero();
                assertThat(end.lines()).hasSize(2).allMatch(line -> line.contains("took one under token"));
            }
            HttpRequest late = HttpRequest.newBuilder(address)
                    .header(FencingGuard.HEADER, "0")
                    .PUT(HttpRequest.BodyPublishers.ofString("7"))
                    .build();
            assertThat(http.send(late, HttpResponse.BodyHandlers.discarding()).statusCode())
                    .isEqualTo(412);
            HttpRequest left = HttpRequest.newBuilder(address).build();
            assertThat(http.send(left, HttpResponse.BodyHandlers.ofString()).body())
                    .isEqualTo("98\n");
        }
    }

    private String locks() throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:" + node.port() + "/v1/locks");
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }
}
