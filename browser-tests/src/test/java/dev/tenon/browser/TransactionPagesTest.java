package dev.tenon.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
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
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What a person sees of transactions, and does for those that are stuck. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(OneBrowser.class)
class TransactionPagesTest {
    @TempDir
    static Path data;

    private final AtomicInteger undo = new AtomicInteger(409);
    private Node node;
    private Api api;
    private Browser browser;
    private HttpServer participant;

    @BeforeAll
    void start(Browser one) throws IOException {
        browser = one;
        node = Node.open(NodeOptions.at("127.0.0.1", 0), data);
        api = new Api(node.port());
        participant = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        participant.createContext("/", exchange -> {
            String path = exchange.getRequestURI().getPath();
            exchange.sendResponseHeaders(path.equals("/no") ? 409 : path.equals("/undo") ? undo.get() : 200, -1);
            exchange.close();
        });
        participant.start();
    }

    @AfterAll
    void stop() {
        node.close();
        participant.stop(0);
    }

    private void at(String hash) {
        browser.open(api.base() + "/" + hash);
    }

    private String url(String path) {
        return "http://127.0.0.1:" + participant.getAddress().getPort() + path;
    }

    private void prepare(String gid) {
        api.call(
                "POST",
                "/v1/transactions",
                "{\"gid\":\"" + gid
                        + "\",\"kind\":\"message\",\"prepared\":true,\"deadline\":\"PT1H\",\"targets\":[{\"name\":"
                        + "\"points\",\"url\":\"" + url("/points") + "\"}]}");
    }

    @Test
    void aTransactionShowsUpAndEndsWithoutReload() {
        at("#/transactions");
        browser.script("window.same = true");
        prepare("live-1");
        browser.awaitRow("live-1", "message", "active");
        api.call("POST", "/v1/transactions/live-1/submit", "");
        browser.awaitRow("live-1", "committed");
        assertThat(browser.script("return window.same")).isEqualTo(true);
        browser.click("link", "live-1");
        browser.awaitHeading("live-1");
        browser.awaitRow("points", "done", "deliver " + url("/points"));
    }

    @Test
    void whatIsStuckIsListedWithItsReasonAndRetried() {
        api.call(
                "POST",
                "/v1/transactions",
                "{\"gid\":\"stuck-1\",\"kind\":\"saga\",\"wait\":true,\"steps\":[{\"name\":\"stock\",\"action\":\""
                        + url("/yes") + "\",\"compensate\":\"" + url("/undo") + "\"},{\"name\":\"card\",\"action\":\""
                        + url("/no") + "\"}]}");
        prepare("not-stuck");
        at("#/transactions?stuck=yes");
        browser.awaitRow("stuck-1", "aborting", "stuck", "stock: refused");
        assertThat(browser.rows()).noneMatch(row -> row.contains("not-stuck"));
        browser.click("link", "stuck-1");
        browser.awaitText("It waits for an operator.");
        browser.awaitRow("stock", "stuck");
        undo.set(200);
        browser.click("Retry now");
        browser.awaitRow("stock", "undone");
        browser.awaitRow("retried", "anyone at");
    }

    @Test
    void anAbortAsksForAReason() {
        prepare("abort-1");
        at("#/transactions/abort-1");
        browser.awaitRow("points", "planned");
        browser.click("Abort …");
        browser.awaitText("A decision is never taken back.");
        browser.click("button", "Abort");
        browser.awaitText("Say why");
        browser.fill("Reason", "not <b>ours</b>");
        browser.click("button", "Abort");
        browser.awaitNoDialog();
        browser.awaitRow("aborted", "anyone at", "not <b>ours</b>");
        assertThat(api.fetch("/v1/transactions/abort-1").path("state").asString())
                .isEqualTo("ABORTED");
    }

    private void suspend(String gid, String why) {
        api.call("POST", "/v1/transactions/" + gid + "/suspend", "{\"reason\":\"" + why + "\"}");
    }

    @Test
    void theListIsNarrowedByWhatIsAskedFor() {
        prepare("narrow-1");
        prepare("narrow-2");
        prepare("wide-1");
        suspend("narrow-1", "Card 4711 is blocked");
        at("#/transactions");
        browser.fill("IDs beginning with", "narrow-");
        browser.awaitRow("narrow-2", "message");
        browser.await("none of the others", () -> browser.rows().stream().noneMatch(row -> row.contains("wide-1")));
        browser.fill("Error has", "card 4711");
        browser.await(
                "the one of that error", () -> browser.rows().stream().noneMatch(row -> row.contains("narrow-2")));
        browser.choose("Kind", "message");
        browser.fill("Service", "tenon-server");
        browser.choose("Younger than", "1 h");
        browser.awaitRow("narrow-1", "stuck", "Card 4711 is blocked");
        assertThat(browser.script("return location.hash"))
                .asString()
                .contains("prefix=narrow-", "error=card+4711", "kind=message", "younger=PT1H");
        browser.choose("Older than", "7 days");
        browser.awaitText("There is no such transaction.");
    }

    @Test
    void theNewestIsOnTheFirstPage() {
        for (int i = 10; i < 70; i++) {
            prepare("page-" + i);
        }
        at("#/transactions?prefix=page-");
        browser.awaitRow("page-69");
        List<String> gids = browser.rows().stream()
                .filter(row -> row.contains("page-"))
                .map(row -> row.substring(0, "page-00".length()))
                .toList();
        assertThat(gids).hasSize(50).isSortedAccordingTo(Comparator.reverseOrder());
        browser.click("Next");
        browser.awaitRow("page-10");
        assertThat(browser.rows()).noneMatch(row -> row.contains("page-20"));
        browser.click("First");
        browser.awaitRow("page-69");
    }

    @Test
    void whatCanNotBeUndoneIsClosedAsItIs() {
        prepare("close-1");
        at("#/transactions/close-1");
        browser.awaitRow("points", "planned");
        assertThat(browser.has("button", "Close as it is")).isFalse(); // whoever began it may go on
        suspend("close-1", "no such account");
        browser.awaitText("It waits for an operator.");
        browser.click("Close as it is …");
        browser.awaitText("Nobody is called for it any more.", "What is closed is never opened again.");
        browser.click("button", "Close it");
        browser.awaitText("Say why");
        browser.fill("Reason", "refunded <b>by hand</b>");
        browser.click("button", "Close it");
        browser.awaitNoDialog();
        browser.awaitText("It was given up as it is.", "closed by anyone at", "refunded <b>by hand</b>");
        browser.awaitRow("left", "it was ACTIVE; points PLANNED");
        assertThat(browser.has("button", "Retry now")).isFalse();
        assertThat(browser.has("button", "Close as it is")).isFalse();
        at("#/transactions?state=CLOSED");
        browser.awaitRow("close-1", "closed", "refunded <b>by hand</b>");
    }

    @Test
    void whatIsReportedAsStuckSaysSinceWhen() {
        String log = "jdbc:h2:mem:stuck-pages;DB_CLOSE_DELAY=-1";
        try (Node shared = Node.open(
                        NodeOptions.at("127.0.0.1", 0), new StoreLocation(log, Optional.empty(), Optional.empty()));
                JdbcBackend shop = JdbcBackend.connect(log)) {
            leaveStuck(shop.transactions(), "reported-1");
            browser.open("http://127.0.0.1:" + shared.port() + "/#/transactions?stuck=yes");
            browser.awaitRow("reported-1", "committing", "stuck", "card: answered 500");
            browser.click("link", "reported-1");
            browser.awaitText("It does not get on.", "Failing since", "Reported as stuck");
            browser.awaitRow("card", "answered 500");
            assertThat(browser.has("button", "Close as it is")).isTrue();
        }
    }

    /** As a service leaves one whose confirm fails again and again. */
    private static void leaveStuck(TransactionStore log, String gid) {
        TransactionDraft draft = new TransactionDraft(
                new TransactionId(gid),
                TransactionKind.TCC,
                "shop",
                "order",
                "",
                Optional.empty(),
                TransactionState.COMMITTING,
                Duration.ofHours(1),
                RetryPolicy.FOR_EVER,
                List.of(BranchRecord.planned("card", Map.of(Operation.CONFIRM, "bean:card"), "")));
        TransactionRecord begun =
                log.begin(draft, Optional.of("shop-1"), Duration.ofHours(1)).transaction();
        Instant now = log.now();
        TransactionRecord failing = begun.change("card", branch -> branch.again(now, "answered 500"));
        log.update(
                begun,
                failing.with(failing.progress().troubled(Optional.of(new Trouble(now, Optional.of(now))))),
                List.of());
    }
}
