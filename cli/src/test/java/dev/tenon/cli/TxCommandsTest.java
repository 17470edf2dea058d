package dev.tenon.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.server.Node;
import dev.tenon.server.NodeOptions;
import dev.tenon.server.StoreLocation;
import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.Operation;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionRecord.Trouble;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.spi.TransactionStore;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code tenon tx}, against a node over H2. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TxCommandsTest {
    private static final String LOG = "jdbc:h2:mem:tx-commands;DB_CLOSE_DELAY=-1";

    private Node node;
    private int port;

    @BeforeAll
    void start() {
        node = Node.open(NodeOptions.at("127.0.0.1", 0), new StoreLocation(LOG, Optional.empty(), Optional.empty()));
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
                "tx close a",
                "tx close a --as-is",
                "tx close a --why mended",
                "tx ls --older-than yesterday",
                "tx ls --younger-than -PT1S",
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
        assertThat(CliRun.of(port, "tx", "ls").out()).containsPattern("order-1 +message +ACTIVE +- +20");
        assertThat(CliRun.of(port, "tx", "ls", "--stuck").out()).doesNotContain("order-1");
        assertThat(CliRun.of(port, "tx", "suspend", "order-1", "--reason", "who sent this?")
                        .out())
                .isEqualTo("order-1 is ACTIVE (stuck): who sent this?\n");
        assertThat(CliRun.of(port, "tx", "ls", "--stuck", "--state", "active", "--kind", "message")
                        .out())
                .containsPattern("order-1 +message +ACTIVE \\(stuck\\) +suspended +20.*who sent this\\?");
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
        String first =
                CliRun.of(port, "tx", "ls", "--prefix", "page-", "--limit", "2").out();
        assertThat(first).containsSubsequence("page-2", "page-1", "There are more: --after ");
        assertThat(first.lines().filter(line -> line.startsWith("page-"))).hasSize(2);
        String next = first.strip().substring(first.strip().lastIndexOf(' ') + 1);
        assertThat(CliRun.of(port, "tx", "ls", "--prefix", "page-", "--limit", "2", "--after", next)
                        .out())
                .contains("page-0")
                .doesNotContain("page-1", "There are more");
        assertThat(CliRun.of(port, "tx", "ls", "--limit", "0").exitCode()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(CliRun.of(port, "tx", "ls", "--after", "page-1").exitCode()).isEqualTo(ExitCode.REFUSED.code());
    }

    @Test
    void aListHasWhatIsAskedFor() throws Exception {
        prepare("filter-1");
        CliRun.of(port, "tx", "suspend", "filter-1", "--reason", "Card 100% blocked");
        String all = "--prefix=filter-";
        assertThat(CliRun.of(port, "tx", "ls", all, "--error", "100% BLOCKED").out())
                .contains("filter-1");
        assertThat(CliRun.of(port, "tx", "ls", all, "--error", "100%blocked").out())
                .doesNotContain("filter-1");
        assertThat(CliRun.of(port, "tx", "ls", all, "--service", "tenon-server").out())
                .contains("filter-1");
        assertThat(CliRun.of(port, "tx", "ls", all, "--service", "").out()).doesNotContain("filter-1");
        assertThat(CliRun.of(port, "tx", "ls", all, "--older-than", "1d").out()).doesNotContain("filter-1");
        assertThat(CliRun.of(port, "tx", "ls", all, "--younger-than", "1d", "--stuck")
                        .out())
                .contains("filter-1");
        CliRun json = CliRun.of(port, "tx", "ls", all, "--stuck", "--json");
        assertThat(json.json().path("transactions").get(0).path("suspended").asString())
                .isEqualTo("Card 100% blocked");
    }

    @Test
    void whatCanNotBeDoneIsClosedAsItIs() throws Exception {
        prepare("close-1");
        CliRun refused = CliRun.of(port, "tx", "close", "close-1", "--as-is", "--why", "mended");
        assertThat(refused.exitCode()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(refused.err()).contains("abort or suspend it first");
        CliRun.of(port, "tx", "suspend", "close-1", "--reason", "no such account");
        CliRun closed = CliRun.of(port, "tx", "close", "close-1", "--as-is", "--why", "refunded by hand");
        assertThat(closed.exitCode()).as(closed.err()).isZero();
        assertThat(closed.out())
                .startsWith("close-1 is CLOSED. It leaves, as it is:")
                .containsPattern("points +PLANNED +0");
        assertThat(CliRun.of(port, "tx", "show", "close-1").out())
                .contains("close-1 (message) is CLOSED")
                .contains("closed:   closed by anyone at 127.0.0.1: refunded by hand")
                .contains("left by anyone at 127.0.0.1: it was ACTIVE; points PLANNED")
                .doesNotContain("stuck: ");
        assertThat(CliRun.of(port, "tx", "ls", "--state", "closed").out())
                .containsPattern("close-1 +message +CLOSED +- .*refunded by hand");
        CliRun json = CliRun.of(port, "tx", "close", "close-1", "--as-is", "--why", "again", "--json");
        assertThat(json.exitCode()).isZero();
        assertThat(json.json().path("closed").asString()).endsWith("refunded by hand");
    }

    @Test
    void whatIsReportedAsStuckSaysSinceWhenAndWhatWasSaidLast() throws Exception {
        try (JdbcBackend shop = JdbcBackend.connect(LOG)) {
            TransactionStore log = shop.transactions();
            TransactionRecord begun = log.begin(
                            new TransactionDraft(
                                    new TransactionId("stuck-1"),
                                    TransactionKind.TCC,
                                    "shop",
                                    "order",
                                    "",
                                    Optional.empty(),
                                    TransactionState.COMMITTING,
                                    Duration.ofHours(1),
                                    RetryPolicy.FOR_EVER,
                                    List.of(BranchRecord.planned("card", Map.of(Operation.CONFIRM, "bean:card"), ""))),
                            Optional.of("shop-1"),
                            Duration.ofHours(1))
                    .transaction();
            Instant since = Instant.parse("2026-11-22T01:20:30Z");
            TransactionRecord failing = begun.change("card", branch -> branch.again(log.now(), "answered 500"));
            log.update(
                    begun,
                    failing.with(failing.progress().troubled(Optional.of(new Trouble(since, Optional.of(log.now()))))),
                    List.of());
        }
        assertThat(CliRun.of(port, "tx", "ls", "--stuck", "--service", "shop").out())
                .containsPattern("stuck-1 +tcc +COMMITTING \\(stuck\\) +2026-11-22T01:20:30Z .*card: answered 500");
        assertThat(CliRun.of(port, "tx", "show", "stuck-1").out())
                .contains("stuck-1 (tcc) is COMMITTING (stuck)")
                .contains("failing:  since 2026-11-22T01:20:30Z")
                .containsPattern("card +PLANNED +0 .*answered 500");
    }

    @Test
    void anUnknownOneIsRefused() {
        CliRun run = CliRun.of(port, "tx", "show", "nothing");
        assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(run.err()).contains("There is no transaction nothing");
        assertThat(CliRun.of(port, "tx", "retry", "no id").exitCode()).isEqualTo(ExitCode.REFUSED.code());
    }
}
