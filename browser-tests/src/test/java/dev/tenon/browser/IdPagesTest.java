package dev.tenon.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.server.Node;
import dev.tenon.server.NodeOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What a person does with IDs. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(OneBrowser.class)
class IdPagesTest {
    /** More digits than a JavaScript number holds. */
    private static final String GREAT = "9007199254740993";

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
    void aNameIsDefinedByTheForm() {
        at("#/ids");
        browser.click("link", "Define a name");
        browser.awaitHeading("Define a name");
        browser.click("Define");
        browser.awaitText("Name is needed.");
        assertThat(browser.focused()).isEqualTo("Name");
        browser.fill("Name", "form/orders");
        browser.awaitText("Name must look like orders.");
        browser.fill("Name", "form-orders");
        browser.choose("Kind", "segment");
        browser.fill("First number", "many");
        browser.awaitText("First number must be a whole number.");
        browser.fill("First number", GREAT);
        browser.fill("Prefix", "F-");
        browser.awaitText("PUT /v1/ids/form-orders {\"kind\":\"segment\",\"start\":" + GREAT + ",\"prefix\":\"F-\"}");
        browser.click("Define");
        browser.awaitHeading("form-orders");
        browser.awaitText(GREAT);
        assertThat(api.next("form-orders", "")).containsExactly("F-" + GREAT);
    }

    @Test
    void whatTheServerRefusesIsSaid() {
        at("#/define");
        browser.fill("Name", "default");
        browser.choose("Kind", "uuid");
        browser.click("Define");
        browser.awaitText("\"default\"");
        browser.fill("Name", "bad-layout");
        browser.choose("Kind", "snowflake");
        browser.choose("Layout", "custom");
        browser.fill("Time bits", "5");
        browser.click("Define");
        browser.await(
                "a refusal",
                () -> browser.text().contains("The layout ended")
                        || browser.text().contains("bits"));
        assertThat(api.fetch("/v1/ids/bad-layout").path("status").asInt()).isEqualTo(404);
    }

    @Test
    void idsAreTakenAndTheCountersFollow() {
        api.define("taken", "{\"kind\":\"sequence\",\"start\":" + GREAT + "}");
        at("#/ids/taken");
        browser.awaitText("Issued by this server");
        browser.fill("How many", "none");
        browser.awaitText("From 1 to");
        browser.fill("How many", "3");
        browser.click("Take");
        browser.awaitText("9007199254740993", "9007199254740994", "9007199254740995");
        browser.awaitAnnounced("3 IDs taken");
        api.next("taken", "?count=4");
        browser.await("the counter", () -> counter("Issued by this server").equals("7"));
    }

    private String counter(String name) {
        return String.valueOf(browser.script(
                "return [...document.querySelectorAll('dt')].find(dt => dt.innerText === arguments[0])?.nextSibling.innerText ?? ''",
                name));
    }

    @Test
    void theListIsLiveFilteredAndPaged() {
        for (int i = 10; i < 40; i++) {
            api.define("paged-" + i, "{\"kind\":\"ulid\"}");
        }
        at("#/ids?filter=PAGED");
        browser.awaitText("30 names", "Page 1 of 2");
        browser.awaitRow("paged-10", "ulid");
        browser.click("Next");
        browser.awaitRow("paged-39");
        assertThat(browser.rows()).hasSize(5);
        browser.fill("Filter", "paged-2");
        browser.await("ten rows", () -> browser.rows().size() == 10);
        api.next("paged-20", "?count=1234");
        browser.awaitRow("paged-20", "1 234");
        browser.fill("Filter", "no such name");
        browser.awaitText("No name has");
    }

    @Test
    void anIdIsDecodedByEveryDefinitionAndFormat() {
        api.define("ordered", "{\"kind\":\"snowflake\",\"prefix\":\"A\"}");
        String id = api.next("default", "").get(0);
        at("#/decode");
        browser.awaitText("Nothing to decode yet.");
        browser.fill("ID", "  " + id + " ");
        browser.click("Decode");
        browser.awaitText("Snowflake, Twitter", "datacenter");
        browser.await("the definition", () -> browser.has("link", "default"));
        assertThat(browser.has("link", "ordered")).isFalse();
        browser.fill("ID", "A" + id);
        browser.click("Decode");
        browser.await("the other definition", () -> browser.has("link", "ordered"));
        browser.awaitText("none of the common formats");
        browser.go("#/decode?id=<img src=x onerror=alert(1)>");
        browser.awaitText("None of the");
    }

    /** The page knows formats by itself, for IDs of others; it must say what the server says. */
    @Test
    void thePageReadsFormatsAsTheServerDoes() {
        Map<String, String> definitions = Map.of(
                "f-twitter", "{\"kind\":\"snowflake\"}",
                "f-sonyflake", "{\"kind\":\"snowflake\",\"layout\":\"sonyflake\"}",
                "f-baidu", "{\"kind\":\"snowflake\",\"layout\":\"baidu\"}",
                "f-safe", "{\"kind\":\"snowflake\",\"layout\":\"jsSafe\"}",
                "f-uuid1", "{\"kind\":\"uuid\",\"version\":1}",
                "f-uuid6", "{\"kind\":\"uuid\",\"version\":6}",
                "f-uuid7", "{\"kind\":\"uuid\"}",
                "f-ulid", "{\"kind\":\"ulid\"}",
                "f-objectid", "{\"kind\":\"objectid\"}",
                "f-typeid", "{\"kind\":\"typeid\",\"typePrefix\":\"user\"}");
        at("#/decode");
        definitions.forEach((name, definition) -> {
            api.define(name, definition);
            for (String id : api.next(name, "?count=2")) {
                JsonNode server = api.fetch("/v1/ids/" + name + "/decode/" + id);
                List<String> expected = new ArrayList<>();
                server.properties().stream()
                        .filter(field -> !List.of("id", "name", "kind").contains(field.getKey()))
                        .forEach(field -> expected.add(
                                field.getKey() + "=" + field.getValue().asString()));
                assertThat(formats(id))
                        .as(name + " " + id + " is " + expected)
                        .anyMatch(fields -> List.of(fields.split(" ")).containsAll(expected));
            }
        });
    }

    private List<String> formats(String id) {
        Object found = browser.driver()
                .executeAsyncScript(
                        "const [id, done] = arguments;"
                                + "import('/console/formats.js').then(m => done(m.formatsOf(id).map(f =>"
                                + " Object.entries(f.fields).map(([k, v]) => k + '=' + v).join(' ')).join('\\n')))",
                        id);
        return List.of(String.valueOf(found).split("\n"));
    }
}
