package dev.tenon.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.server.Node;
import dev.tenon.server.NodeOptions;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A server that asks for keys. */
@ExtendWith(OneBrowser.class)
class KeyTest {
    @TempDir
    static Path data;

    @Test
    void aKeyIsAskedForKeptForTheTabAndForgotten(Browser browser) {
        try (Node node = Node.open(NodeOptions.at("127.0.0.1", 0), data);
                KeyedFront front = new KeyedFront(node.port())) {
            String base = front.base();
            browser.open(base + "/#/ids");
            browser.awaitText("This server asks for an API key");
            browser.click("Use it");
            browser.awaitText("Paste the key.");
            browser.fill("API key", "wrong");
            browser.click("Use it");
            browser.awaitText("The server did not take the last key.");
            browser.click("Not now");
            browser.awaitNoDialog();
            browser.awaitText("Enter a key");

            browser.click("Enter a key");
            browser.fill("API key", "reader");
            browser.click("Use it");
            browser.awaitRow("default", "snowflake");
            browser.awaitText("reader");
            assertThat(browser.has("link", "Define a name")).isFalse();
            browser.go("#/locks/secret");
            browser.awaitText("Your key may not do this.", "This key has the right READ only.");
            suspended(node, "order-1");
            browser.go("#/transactions/order-1");
            browser.awaitText("It waits for an operator.");
            assertThat(browser.has("button", "Close as it is")).isFalse();
            browser.go("#/ids/default");
            browser.awaitText("Counters");
            assertThat(browser.has("button", "Take")).isFalse();

            assertThat(browser.script("return sessionStorage.getItem('tenon.key')"))
                    .isEqualTo("reader");
            assertThat(browser.script("return JSON.stringify(localStorage) + document.cookie + location.href"))
                    .asString()
                    .doesNotContain("reader");
            browser.driver().navigate().refresh();
            browser.awaitText("Counters");

            browser.click("Forget key");
            browser.awaitText("This server asks for an API key");
            browser.fill("API key", "boss");
            browser.click("Use it");
            browser.await("what the boss may", () -> browser.has("button", "Take"));
            browser.go("#/transactions/order-1");
            browser.await("what only the boss may", () -> browser.has("button", "Close as it is"));
            browser.go("#/ids");
            browser.await("the link", () -> browser.has("link", "Define a name"));
        }
    }

    private static void suspended(Node node, String gid) {
        Api api = new Api(node.port());
        api.call(
                "POST",
                "/v1/transactions",
                "{\"gid\":\"" + gid
                        + "\",\"kind\":\"message\",\"prepared\":true,\"targets\":[{\"name\":\"points\",\"url\":"
                        + "\"http://127.0.0.1:1/points\"}]}");
        api.call("POST", "/v1/transactions/" + gid + "/suspend", "");
    }
}
