package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.server.TestClient.Answer;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** {@code /v1/ids} and {@code /id-builder}: what is refused first, then what works. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class IdsOverHttpTest {
    private Node node;
    private TestClient client;

    @BeforeAll
    void start() {
        node = Node.start(NodeOptions.at("127.0.0.1", 0), new MemoryServerBackend());
        client = new TestClient(node.port());
    }

    @AfterAll
    void stop() {
        node.close();
    }

    @Test
    void anUnknownNameIsRefusedWithTheCommandThatDefinesIt() {
        Answer answer = client.post("/v1/ids/order%20id/next", "");
        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.problem()).isEqualTo("unknown-id-name");
        assertThat(answer.detail()).contains("./tenon id define 'order id' --kind");
        assertThat(client.fetch("/v1/ids/order%20id").problem()).isEqualTo("unknown-id-name");
        assertThat(client.fetch("/v1/ids/order%20id/decode/1").problem()).isEqualTo("unknown-id-name");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "10001", "99999999999999", "x", "1.5", "", "%201", "1e3"})
    void aCountThatIsNoneIsRefused(String count) {
        Answer answer = client.post("/v1/ids/default/next?count=" + count, "");
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.problem()).isEqualTo("bad-count");
        assertThat(answer.detail()).contains("between 1 and 10000");
    }

    @Test
    void anUnknownParameterIsRefused() {
        Answer answer = client.post("/v1/ids/default/next?cuont=5", "");
        assertThat(answer.problem()).isEqualTo("bad-request");
        assertThat(answer.detail()).contains("cuont").contains("allowed: count");
        assertThat(client.post("/v1/ids/default/next?count=5&count=6", "").problem())
                .isEqualTo("bad-request");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a%00b", "a%0Ab", "a%C2%85b", "a%2Fb"})
    void aNameThatIsNoneIsRefused(String name) {
        assertThat(client.post("/v1/ids/" + name + "/next", "").problem()).isEqualTo("bad-name");
        assertThat(client.put("/v1/ids/" + name, "{\"kind\":\"snowflake\"}").problem())
                .isEqualTo("bad-name");
        assertThat(client.put("/v1/ids/" + "n".repeat(201), "{\"kind\":\"snowflake\"}")
                        .problem())
                .isEqualTo("bad-name");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}|kind|segment, sequence, shuffled, snowflake",
                "{\"kind\":\"uuid9\"}|kind|segment, sequence, shuffled, snowflake",
                "{\"kind\":7}|kind|segment, sequence, shuffled, snowflake",
                "{\"kind\":\"snowflake\",\"layuot\":\"twitter\"}|layuot|layout",
                "{\"kind\":\"snowflake\",\"start\":1}|start|allowed",
                "{\"kind\":\"snowflake\",\"lane\":\"fast\"}|lane|striped",
                "{\"kind\":\"snowflake\",\"layout\":\"tweeter\"}|layout|sonyflake",
                "{\"kind\":\"snowflake\",\"layout\":5}|layout|sonyflake",
                "{\"kind\":\"snowflake\",\"layout\":{\"timeBits\":60}}|bits|63",
                "{\"kind\":\"snowflake\",\"layout\":{\"timeBits\":0}}|bit|1",
                "{\"kind\":\"snowflake\",\"layout\":{\"epoch\":\"soon\"}}|epoch|2020-01-01",
                "{\"kind\":\"snowflake\",\"layout\":{\"unit\":\"1ms\"}}|unit|PT0.001S",
                "{\"kind\":\"snowflake\",\"layout\":{\"bits\":41}}|bits|timeBits",
                "{\"kind\":\"segment\",\"start\":-1}|Start|0 or more",
                "{\"kind\":\"segment\",\"start\":\"1\"}|start|whole number",
                "{\"kind\":\"segment\",\"start\":1.5}|start|whole number",
                "{\"kind\":\"segment\",\"step\":0}|step|between 1 and",
                "{\"kind\":\"segment\",\"step\":100000000000}|step|between 1 and",
                "{\"kind\":\"segment\",\"start\":10,\"max\":9}|Max|start",
                "{\"kind\":\"sequence\",\"increment\":0}|Step|between 1",
                "{\"kind\":\"sequence\",\"max\":99999999999999999999}|max|range",
                "{\"kind\":\"sequence\",\"code\":0}|code|1 or more",
                "{\"kind\":\"sequence\",\"machineIndex\":-1}|machineIndex|between",
                "{\"kind\":\"sequence\",\"prefix\":5}|prefix|text",
                "{\"kind\":\"sequence\",\"prefix\":\"a\\u0000\"}|prefix|control",
                "{\"kind\":\"sequence\",\"kind\":\"segment\"}|kind|uplicate",
            })
    void aBadDefinitionIsRefusedNamingTheFieldAndWhatIsAllowed(String body, String field, String allowed) {
        Answer answer = client.put("/v1/ids/bad", body);
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(answer.problem()).isIn("bad-definition", "malformed-json");
        assertThat(answer.detail()).contains(field).contains(allowed);
        assertThat(client.fetch("/v1/ids/bad").status()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "null", "7", "\"snowflake\"", "{\"kind\":", "{'kind':'snowflake'}", "{} {}"})
    void aDefinitionThatIsNoObjectIsRefused(String body) {
        Answer answer = client.put("/v1/ids/bad", body);
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(answer.problem()).isIn("malformed-json", "bad-definition");
    }

    @Test
    void aDefinitionNeverChanges() {
        String body = "{\"kind\":\"snowflake\",\"layout\":\"sonyflake\"}";
        assertThat(client.put("/v1/ids/fixed", body).status()).isEqualTo(201);
        assertThat(client.put("/v1/ids/fixed", body).status()).isEqualTo(200);
        Answer conflict = client.put("/v1/ids/fixed", "{\"kind\":\"snowflake\",\"layout\":\"baidu\"}");
        assertThat(conflict.status()).isEqualTo(409);
        assertThat(conflict.problem()).isEqualTo("definition-conflict");
        assertThat(conflict.detail()).contains("\"layout\":\"sonyflake\"");
        assertThat(client.fetch("/v1/ids/fixed")
                        .json()
                        .path("definition")
                        .path("layout")
                        .asString())
                .isEqualTo("sonyflake");
    }

    @Test
    void aDefinitionIsTheSameHoweverItIsWritten() {
        assertThat(client.put("/v1/ids/same", "{\"kind\":\"segment\"}").status())
                .isEqualTo(201);
        String spelled =
                "{ \"step\": 1000, \"max\": 9223372036854775807, \"start\": 1, \"prefix\": \"\", \"kind\": \"segment\" }";
        assertThat(client.put("/v1/ids/same", spelled).status()).isEqualTo(200);
        String custom = "{\"kind\":\"snowflake\",\"layout\":{\"unit\":\"PT1S\",\"timeBits\":28,\"workerBits\":22,"
                + "\"sequenceBits\":13,\"epoch\":\"2025-01-01T00:00:00Z\"}}";
        assertThat(client.put("/v1/ids/baidu", custom).status()).isEqualTo(201);
        assertThat(client.put("/v1/ids/baidu", "{\"kind\":\"snowflake\",\"layout\":\"baidu\"}")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void aCodeBelongsToOneName() {
        assertThat(client.put("/v1/ids/first", "{\"kind\":\"segment\",\"code\":77}")
                        .status())
                .isEqualTo(201);
        Answer second = client.put("/v1/ids/second", "{\"kind\":\"segment\",\"code\":77}");
        assertThat(second.status()).isEqualTo(409);
        assertThat(second.detail()).contains("first");
        assertThat(client.fetch("/v1/ids/second").status()).isEqualTo(404);
    }

    @Test
    void theDefaultNameIsThereFromTheStart() {
        Answer answer = client.post("/v1/ids/default/next", "");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("Cache-Control")).isEqualTo("no-store");
        String id = answer.json().path("ids").path(0).stringValue();
        JsonNode parts = client.fetch("/v1/ids/default/decode/" + id).json();
        Duration age = Duration.between(Instant.parse(parts.path("time").asString()), Instant.now());
        assertThat(age).isBetween(Duration.ofSeconds(-1), Duration.ofSeconds(20));
        assertThat(parts.path("workerId").asInt()).isBetween(0, 1023);
        assertThat(parts.path("kind").asString()).isEqualTo("snowflake");
    }

    @Test
    void aBatchIsAscendingAndNothingRepeats() {
        Set<String> all = new HashSet<>();
        long last = 0;
        for (int round = 0; round < 5; round++) {
            for (String id : client.next("default", 10_000)) {
                assertThat(Long.parseLong(id)).isGreaterThan(last);
                last = Long.parseLong(id);
                all.add(id);
            }
        }
        assertThat(all).hasSize(50_000);
    }

    @Test
    void plainTextIsOneALine() {
        Answer answer = client.fetch("/v1/ids/default/next?count=3", "Accept", "text/plain");
        assertThat(answer.header("Content-Type")).startsWith("text/plain");
        assertThat(answer.text()).matches("\\d+\\n\\d+\\n\\d+\\n");
    }

    @Test
    void aSequenceIsContiguousAndEndsAtItsMax() {
        client.put("/v1/ids/seq", "{\"kind\":\"sequence\",\"start\":10,\"increment\":5,\"max\":32}");
        assertThat(client.next("seq", 2)).containsExactly("10", "15");
        assertThat(client.next("seq", 1)).containsExactly("20");
        assertThat(client.next("seq", 10)).containsExactly("25", "30");
        assertThat(client.post("/v1/ids/seq/next", "").problem()).isEqualTo("range-exhausted");
        assertThat(client.fetch("/v1/ids/seq/decode/20").json().path("position").asInt())
                .isEqualTo(2);
        for (String foreign : List.of("11", "9", "35", "x", "010", "-10", "+10", "99999999999999999999")) {
            assertThat(client.fetch("/v1/ids/seq/decode/" + foreign).problem())
                    .as(foreign)
                    .isEqualTo("bad-id");
        }
    }

    @Test
    void prefixAndMachineIndexStandBeforeTheNumber() {
        client.put("/v1/ids/sms", "{\"kind\":\"segment\",\"prefix\":\"sms_\",\"machineIndex\":1001,\"start\":5}");
        assertThat(client.next("sms", 2)).containsExactly("sms_10015", "sms_10016");
        assertThat(client.fetch("/v1/ids/sms/decode/sms_10016")
                        .json()
                        .path("number")
                        .asLong())
                .isEqualTo(6);
        assertThat(client.fetch("/v1/ids/sms/decode/6").problem()).isEqualTo("bad-id");
    }

    @Test
    void whatIsDefinedIsListed() {
        client.put("/v1/ids/listed", "{\"kind\":\"segment\",\"code\":78}");
        client.next("listed", 3);
        JsonNode ids = client.fetch("/v1/ids").json().path("ids");
        assertThat(ids.valueStream().map(n -> n.path("name").asString()))
                .contains("default", "listed")
                .noneMatch(n -> n.startsWith("/"));
        assertThat(client.fetch("/v1/ids/listed").json().path("issued").asInt()).isEqualTo(3);
    }

    @Test
    void anIdBuilderCallWithoutAKnownCodeIsRefused() {
        assertThat(client.fetch("/id-builder/increase-id").problem()).isEqualTo("bad-request");
        assertThat(client.fetch("/id-builder/increase-id?code=x").problem()).isEqualTo("bad-request");
        Answer unknown = client.fetch("/id-builder/increase-seq-id-str?code=4711");
        assertThat(unknown.status()).isEqualTo(404);
        assertThat(unknown.problem()).isEqualTo("unknown-code");
        assertThat(unknown.detail()).contains("--code 4711");
        client.put("/v1/ids/strictly", "{\"kind\":\"sequence\",\"code\":79}");
        assertThat(client.fetch("/id-builder/increase-id?code=79").problem()).isEqualTo("wrong-kind");
        assertThat(client.fetch("/id-builder/increase-seq-id?code=79").text()).isEqualTo("1");
    }

    @Test
    void theIdBuilderAnswersAsTheServiceDid() {
        client.put(
                "/v1/ids/built",
                "{\"kind\":\"segment\",\"code\":80,\"prefix\":\"ORD\",\"machineIndex\":1001,\"step\":50}");
        Set<Long> numbers = new HashSet<>();
        long last = 0;
        boolean shuffled = false;
        long lastShuffled = 0;
        for (int i = 0; i < 200; i++) {
            Answer contiguous = client.fetch("/id-builder/increase-seq-id?code=80");
            assertThat(contiguous.header("Content-Type")).isEqualTo("application/json");
            long number = contiguous.json().asLong();
            assertThat(number).isGreaterThan(last);
            last = number;
            numbers.add(number);
            long other = client.fetch("/id-builder/increase-id?code=80").json().asLong();
            shuffled |= other < lastShuffled;
            lastShuffled = other;
            numbers.add(other);
            Answer text = client.fetch("/id-builder/increase-seq-id-str?code=80");
            assertThat(text.header("Content-Type")).startsWith("text/plain");
            assertThat(text.text()).startsWith("ORD1001");
            last = Long.parseLong(text.text().substring(7));
            numbers.add(last);
            numbers.add(Long.parseLong(
                    client.fetch("/id-builder/increase-id-str?code=80").text().substring(7)));
        }
        assertThat(numbers).hasSize(800);
        assertThat(shuffled).isTrue();
    }
}
