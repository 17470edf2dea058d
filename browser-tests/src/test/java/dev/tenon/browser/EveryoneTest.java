package dev.tenon.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.server.Node;
import dev.tenon.server.NodeOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/** The console without a mouse, through a screen reader, in the dark, and on a phone. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(OneBrowser.class)
class EveryoneTest {
    private static final List<String> PAGES = List.of(
            "#/",
            "#/ids",
            "#/ids/default",
            "#/define",
            "#/decode?id=1541815603606036480",
            "#/locks",
            "#/locks/busy",
            "#/transactions",
            "#/transactions/order-1",
            "#/outbox",
            "#/cluster");

    @TempDir
    static Path data;

    private Node node;
    private Api api;
    private Browser browser;

    @BeforeAll
    void start(Browser one) {
        browser = one;
        node = Node.open(NodeOptions.at("127.0.0.1", 0), data);
        api = new Api(node.port());
        api.acquire("busy", api.session("somebody@somewhere"), "exclusive");
        api.queue("busy", api.session("next@elsewhere"));
        api.next("default", "");
        api.call(
                "POST",
                "/v1/transactions",
                "{\"gid\":\"order-1\",\"kind\":\"message\",\"prepared\":true,\"deadline\":\"PT1H\",\"targets\":[{\"name\":\"points\","
                        + "\"url\":\"http://points.example/add\"}]}");
        api.call("POST", "/v1/transactions/order-1/suspend", "{\"reason\":\"who sent this?\"}");
    }

    @AfterEach
    void asItWas() {
        browser.prefer("light");
        browser.size(1280, 900);
    }

    @AfterAll
    void stop() {
        node.close();
    }

    private void at(String hash) {
        browser.open(api.base() + "/" + hash);
    }

    @Test
    void axeFindsNothingOnAnyPageInEitherTheme() throws IOException {
        List<String> found = new ArrayList<>();
        for (String scheme : List.of("light", "dark")) {
            browser.prefer(scheme);
            at("#/");
            Axe axe = Axe.in(browser);
            for (String page : PAGES) {
                browser.go(page);
                browser.await(
                        "something on " + page,
                        () -> browser.script(
                                        "return document.querySelectorAll('main .card, main table, main .tile, main .empty').length > 0")
                                .equals(true));
                found.addAll(axe.violations(scheme + " " + page));
            }
            browser.go("#/locks/busy");
            browser.click("Take it from somebody@somewhere by force");
            browser.click("Release");
            found.addAll(axe.violations(scheme + " dialog"));
        }
        assertThat(found).isEmpty();
    }

    @Test
    void everythingIsDoneWithoutAMouse() {
        at("#/");
        browser.keys(Keys.TAB);
        assertThat(browser.focused()).isEqualTo("Skip to the content");
        browser.keys(Keys.ENTER);
        assertThat(browser.focused()).startsWith("Overview");
        tabTo("Tenon", Keys.chord(Keys.SHIFT, Keys.TAB));
        tabTo("Locks", Keys.TAB);
        browser.keys(Keys.ENTER);
        browser.awaitHeading("Locks");
        assertThat(browser.focused()).as("where a reader goes on").isEqualTo("Locks");
        browser.awaitRow("busy");
        tabTo("Release busy by force", Keys.TAB);
        browser.keys(Keys.ENTER);
        browser.awaitText("The holder does not know");
        assertThat(browser.focused()).isEqualTo("Reason");
        for (int i = 0; i < 6; i++) {
            browser.keys(Keys.TAB);
            assertThat(browser.script("return document.activeElement === document.body"
                            + " || document.querySelector('dialog').contains(document.activeElement)"))
                    .as("in the dialog: " + browser.focused())
                    .isEqualTo(true);
        }
        browser.script("document.getElementById('asked').focus()");
        browser.keys(Keys.ESCAPE);
        browser.awaitNoDialog();
        browser.await("the focus to be back", () -> browser.focused().equals("Release busy by force"));
        assertThat(api.fetch("/v1/locks/busy").path("holder").path("owner").asString())
                .isEqualTo("somebody@somewhere");
    }

    private void tabTo(String name, CharSequence key) {
        for (int i = 0; i < 40; i++) {
            if (browser.focused().equals(name)) {
                return;
            }
            browser.keys(key);
        }
        throw new AssertionError("The focus does not come to " + name + ", but to " + browser.focused());
    }

    @Test
    void theThemeFollowsTheSystemUntilItIsChosen() {
        browser.prefer("dark");
        at("#/");
        assertThat(ground()).isEqualTo("rgb(18, 22, 20)");
        browser.prefer("light");
        browser.await("light", () -> ground().equals("rgb(247, 247, 244)"));
        browser.click("Dark");
        assertThat(ground()).isEqualTo("rgb(18, 22, 20)");
        browser.driver().navigate().refresh();
        browser.awaitHeading("Overview");
        assertThat(ground()).isEqualTo("rgb(18, 22, 20)");
        browser.click("Dark");
        assertThat(ground()).isEqualTo("rgb(247, 247, 244)");
    }

    private String ground() {
        return String.valueOf(browser.script("return getComputedStyle(document.body).backgroundColor"));
    }

    @Test
    void everyPageFitsAPhone() {
        browser.size(360, 740);
        at("#/");
        for (String page : PAGES) {
            browser.go(page);
            browser.await(
                    "something on " + page,
                    () -> browser.script(
                                    "return document.querySelectorAll('main .card, main table, main .tile, main .empty').length > 0")
                            .equals(true));
            assertThat(browser.script(
                            "return document.documentElement.scrollWidth - document.documentElement.clientWidth"))
                    .as(page)
                    .isEqualTo(0L);
        }
    }

    @Test
    void nothingIsAskedWhileTheTabIsHidden() {
        at("#/locks");
        browser.awaitRow("busy");
        browser.script("Object.defineProperty(document, 'hidden', {get: () => window.away, configurable: true});"
                + "window.away = true; document.dispatchEvent(new Event('visibilitychange'))");
        browser.awaitText("paused");
        Object asked = browser.script("window.asked = 0; const real = fetch;"
                + "window.fetch = (...args) => { window.asked++; return real(...args); }; return 0");
        assertThat(asked).isEqualTo(0L);
        api.acquire("hidden", api.session("meanwhile"), "exclusive");
        Number since = (Number) browser.script("return performance.now()");
        browser.await(
                "what would be three rounds",
                () -> ((Number) browser.script("return performance.now()")).longValue() > since.longValue() + 3_000);
        assertThat(browser.script("return window.asked")).isEqualTo(0L);
        browser.script("window.away = false; document.dispatchEvent(new Event('visibilitychange'))");
        browser.awaitRow("hidden", "meanwhile");
        assertThat((Long) browser.script("return window.asked")).isPositive();
    }
}
