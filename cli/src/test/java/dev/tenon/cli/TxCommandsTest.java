package dev.tenon.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.server.Node;
import dev.tenon.server.NodeOptions;
import dev.tenon.server.StoreAddress;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code tenon tx}, against a node over H2. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TxCommandsTest {
    private Node node;
    private int port;

    @BeforeAll
    void start(@TempDir Path folder) {
        node = Node.open(
                NodeOptions.at("127.0.0.1", 0),
                new StoreAddress("jdbc:h2:" + folder.resolve("log"), Optional.empty(), Optional.empty()));
        port = node.port();
    }

    @AfterAll
    void stop() {
        node.close();
    }

    private void prepare(String gid) throws IOException, InterruptedException {
        String body =
                "{\"gid\":\"" + gid + "\",\"kind\":\"message\",\"prepared\":true,\"deadline\":\"PT10M\",\"targets\":"
                        + "[{\"name\":\"points\",\"url\":\"http://127.0.0.1:1/points\"}]}";
        URI uri = URI.create("http://127.0.0.1:" + port + "/v1/transactions");
        HttpRequest request =
                HttpRequest.newBuilder(uri).POST(BodyPublishers.ofString(body)).build();
        assertThat(HttpClient.newHttpClient()
                        .send(request, BodyHandlers.ofString())
                        .statusCode())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tx",
                "tx frob",
                "tx show",
                "tx abort a",
                "tx suspend a",
                "tx retry",
                "tx ls --limit x",
                "tx ls a"
            })
    void wrongUsageIsExplained(String words) {
        CliRun run = CliRun.of(words.split(" "));
        assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.USAGE.code());
        assertThat(run.err()).isNotBlank();
    }

    @ParameterizedTest
    @ValueSource(strings = {"saga", "tcc", "message"})
    void transactionsAreMeasuredToTheirEnd(String kind) {
        CliRun run = CliRun.of(port, "bench", "tx", kind, "-c", "2", "-t", "300ms", "--branches", "2", "--json");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.json().path("calls").asLong()).isPositive();
        assertThat(run.json().path("units").asLong())
                .as("all of them are committed")
                .isEqualTo(run.json().path("calls").asLong());
        assertThat(run.json().path("failed").asLong()).isZero();
        assertThat(CliRun.of(port, "tx", "ls", "--state", "COMMITTED", "--kind", kind)
                        .out())
                .contains(kind);
    }

    @Test
    void aTransactionIsListedShownSuspendedAndAborted() throws Exception {
        prepare("order-1");
        assertThat(CliRun.of(port, "tx", "ls").out()).containsPattern("order-1 +message +ACTIVE +20");
        assertThat(CliRun.of(port, "tx", "ls", "--stuck").out()).doesNotContain("order-1");
        assertThat(CliRun.of(port, "tx", "suspend", "order-1", "--reason", "who sent this?")
                        .out())
                .isEqualTo("order-1 is ACTIVE (stuck): who sent this?\n");
        assertThat(CliRun.of(port, "tx", "ls", "--stuck", "--state", "active", "--kind", "message")
                        .out())
                .containsPattern("order-1 +message +ACTIVE \\(stuck\\) +.*who sent this\\?");
        assertThat(CliRun.of(port, "tx", "ls", "--state", "COMMITTED").out()).doesNotContain("order-1");
        assertThat(CliRun.of(port, "tx", "resume", "order-1").out()).isEqualTo("order-1 is ACTIVE\n");
        CliRun json = CliRun.of(port, "tx", "abort", "order-1", "--reason", "not ours", "--json");
        assertThat(json.exitCode()).isZero();
        assertThat(json.out()).startsWith("{\"gid\":\"order-1\"").contains("\"state\":\"ABORT");
        assertThat(CliRun.of(port, "tx", "show", "order-1").out())
                .contains("order-1 (message) is ABORT")
                .containsPattern("points +PLANNED +0")
                .contains("suspended by anyone at 127.0.0.1: who sent this?")
                .contains("resumed by ")
                .contains("aborted by anyone at 127.0.0.1: not ours");
    }

    @Test
    void whatIsDecidedIsNotTakenBack() throws Exception {
        prepare("order-2");
        assertThat(CliRun.of(port, "tx", "submit", "order-2").out()).startsWith("order-2 is COMMITTING");
        CliRun refused = CliRun.of(port, "tx", "abort", "order-2", "--reason", "too late");
        assertThat(refused.exitCode()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(refused.err()).contains("order-2").contains("COMMITTING");
        assertThat(CliRun.of(port, "tx", "retry", "order-2").exitCode()).isZero();
    }

    @Test
    void aLongListGoesOnWhereItEnded() throws Exception {
        for (int i = 0; i < 3; i++) {
            prepare("page-" + i);
        }
        assertThat(CliRun.of(port, "tx", "ls", "--after", "page-", "--limit", "2")
                        .out())
                .contains("page-0", "page-1", "There are more: --after page-1")
                .doesNotContain("page-2");
        assertThat(CliRun.of(port, "tx", "ls", "--limit", "0").exitCode()).isEqualTo(ExitCode.REFUSED.code());
    }

    @Test
    void anUnknownOneIsRefused() {
        CliRun run = CliRun.of(port, "tx", "show", "nothing");
        assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(run.err()).contains("There is no transaction nothing");
        assertThat(CliRun.of(port, "tx", "retry", "no id").exitCode()).isEqualTo(ExitCode.REFUSED.code());
    }
}
