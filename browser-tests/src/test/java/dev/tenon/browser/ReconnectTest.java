package dev.tenon.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.server.Node;
import dev.tenon.server.NodeOptions;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A server that goes away and comes back while somebody looks. */
@ExtendWith(OneBrowser.class)
class ReconnectTest {
    @TempDir
    static Path data;

    @Test
    void thePageSaysThatTheServerIsAwayAndGoesOnWhenItIsBack(Browser browser) {
        int port;
        try (Node node = Node.open(NodeOptions.at("127.0.0.1", 0), data)) {
            port = node.port();
            Api api = new Api(port);
            api.acquire("kept", api.session("owner@host"), "exclusive");
            browser.open(api.base() + "/#/locks");
            browser.awaitRow("kept", "owner@host");
            browser.script("window.same = true");
        }
        browser.awaitText("Reconnecting", "reconnecting");
        browser.awaitAnnounced("The server does not answer");
        browser.awaitRow("kept", "owner@host");
        browser.click("Try now");
        browser.go("#/ids");
        browser.awaitText("Waiting for the server");
        browser.go("#/locks");
        try (Node node = Node.open(NodeOptions.at("127.0.0.1", port), data)) {
            browser.awaitNoText("Reconnecting");
            browser.awaitText("live");
            browser.awaitRow("kept");
            Api api = new Api(node.port());
            api.acquire("fresh", api.session("after@host"), "exclusive");
            browser.awaitRow("fresh", "after@host");
            assertThat(browser.script("return window.same")).isEqualTo(true);
        }
    }
}
