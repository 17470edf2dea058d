package dev.tenon.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.server.Node;
import dev.tenon.server.NodeOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What a person sees of locks, and does to them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(OneBrowser.class)
class LockPagesTest {
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
    }

    @AfterAll
    void stop() {
        node.close();
    }

    private void at(String hash) {
        browser.open(api.base() + "/" + hash);
    }

    @Test
    void aLockShowsUpAndGoesWithoutReload() {
        at("#/locks?prefix=live");
        browser.awaitText("No lock begins with");
        browser.script("window.same = true");
        String session = api.session("app@host-1");
        long token = api.acquire("live-1", session, "exclusive").path("token").asLong();
        browser.awaitRow("live-1", "app@host-1", "exclusive", "4 min");
        assertThat(browser.has("button", "Release live-1 by force")).isTrue();
        api.call("POST", "/v1/locks/live-1/release", "{\"session\":\"" + session + "\",\"token\":" + token + "}");
        browser.awaitText("No lock begins with");
        assertThat(browser.script("return window.same")).isEqualTo(true);
    }

    @Test
    void whatIsTypedAndFocusedStaysWhileTheTableChanges() {
        at("#/locks");
        browser.fill("Names beginning with", "typed");
        browser.awaitText("No lock begins with");
        browser.keys("-b");
        api.acquire("typed-b", api.session("one"), "exclusive");
        browser.awaitRow("typed-b", "one");
        assertThat(browser.focused()).isEqualTo("Names beginning with");
        assertThat(browser.script("return document.activeElement.value")).isEqualTo("typed-b");
        assertThat(browser.script("return location.hash")).isEqualTo("#/locks?prefix=typed-b");
    }

    @Test
    void aForcedReleaseAsksForAReason() throws Exception {
        JsonNode held = api.acquire("forced", api.session("stuck@host-2"), "exclusive");
        CompletableFuture<JsonNode> next = api.queue("forced", api.session("next@host-3"));
        at("#/locks/forced");
        browser.awaitText("1 waiting", "next@host-3", "stuck@host-2");
        browser.click("Take it from stuck@host-2 by force");
        browser.awaitText("The holder does not know", held.path("token").asString());
        browser.click("Release");
        browser.awaitText("Say why");
        assertThat(browser.focused()).isEqualTo("Reason");
        assertThat(next).isNotDone();
        browser.fill("Reason", "it hangs & <b>hangs</b>");
        browser.click("Release");
        browser.awaitAnnounced("forced was taken from stuck@host-2");
        assertThat(next.get(30, TimeUnit.SECONDS).path("token").asLong())
                .isGreaterThan(held.path("token").asLong());
        browser.awaitText("0 waiting");
        browser.awaitRow("next@host-3");
        assertThat(browser.rows()).noneMatch(row -> row.contains("stuck"));
    }

    /** The dialog was opened for one grant; when another has the lock meanwhile, that one keeps it. */
    @Test
    void aForcedReleaseTakesOnlyWhatWasSeen() {
        String session = api.session("first");
        long token = api.acquire("changed", session, "exclusive").path("token").asLong();
        at("#/locks/changed");
        browser.click("Take it from first by force");
        browser.fill("Reason", "too late");
        api.call("POST", "/v1/locks/changed/release", "{\"session\":\"" + session + "\",\"token\":" + token + "}");
        long second = api.acquire("changed", api.session("second"), "exclusive")
                .path("token")
                .asLong();
        browser.click("Release");
        browser.await("a refusal", () -> browser.has("div[@role='alert']", ""));
        browser.click("Cancel");
        browser.awaitRow("second", String.valueOf(second));
        assertThat(api.fetch("/v1/locks/changed").path("holder").path("owner").asString())
                .isEqualTo("second");
    }

    @Test
    void holdersAreAskedToLetGo() {
        api.acquire("asked", api.session("one"), "shared");
        api.acquire("asked", api.session("two"), "shared");
        at("#/locks/asked");
        browser.awaitText("2 holders");
        browser.click("Ask to let go");
        browser.fill("Who asks", "");
        browser.click("Ask");
        browser.awaitText("Say who asks.");
        browser.fill("Who asks", "night shift");
        browser.click("Ask");
        browser.awaitAnnounced("2 holders were asked");
        browser.awaitRow("one", "asked to let go by night shift");
        browser.awaitRow("two", "asked to let go by night shift");
    }

    @Test
    void whatOthersWriteIsShownAsText() {
        String name = "<img src=x onerror=document.title='broken'>";
        api.acquire(name, api.session("<script>alert(1)</script>@<b>"), "exclusive");
        at("#/locks?prefix=%3Cimg");
        browser.awaitRow(name, "<script>alert(1)</script>@<b>");
        browser.click("link", "<img");
        browser.awaitHeading(name);
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() ->
                        assertThat(browser.script("return document.title")).isEqualTo(name + " – Tenon"));
        assertThat(browser.script("return document.querySelectorAll('main img, main script, main b').length"))
                .isEqualTo(0L);
    }

    @Test
    void manyLocksComeInPages() {
        String session = api.session("many");
        for (int i = 100; i < 160; i++) {
            api.acquire("many-" + i, session, "exclusive");
        }
        at("#/locks?prefix=many-");
        browser.awaitText("50+ locks");
        browser.click("Next");
        browser.awaitRow("many-159");
        assertThat(browser.rows()).hasSize(10);
        browser.script("history.back()");
        browser.awaitRow("many-100");
    }

    @Test
    void theOverviewAndTheClusterPageSayWhatThereIs() {
        at("");
        browser.awaitText("Overview", "Locks held", "Waiting for locks", "ready");
        browser.await(
                "plots",
                () -> browser.script("return document.querySelectorAll('.plot canvas').length >= 3")
                        .equals(true));
        browser.click("link", "Cluster");
        browser.awaitText("A cluster of one.");
        browser.awaitRow("leader", "(this one)");
        browser.go("#/nowhere");
        browser.awaitText("There is no such page.");
    }
}
