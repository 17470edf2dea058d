package dev.tenon.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.tenon.server.Node;
import dev.tenon.server.NodeOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
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
}
