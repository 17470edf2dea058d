package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.server.TestClient.Answer;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Every kind of definition but snowflake, segment and sequence: what is refused first, then what works. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class IdKindsTest {
    private final MemoryServerBackend backend = new MemoryServerBackend();
    private Node node;
    private TestClient client;

    @BeforeAll
    void start() {
        node = Node.start(NodeOptions.at("127.0.0.1", 0), backend);
        client = new TestClient(node.port());
    }

    @AfterAll
    void stop() {
        node.close();
    }

    private JsonNode define(String name, String body) {
        Answer answer = client.put("/v1/ids/" + name, body);
        assertThat(answer.status()).as(answer.text()).isEqualTo(201);
        assertThat(client.put("/v1/ids/" + name, body).status()).as("again").isEqualTo(200);
        // The canonical form is a definition too, and the same.
        String canonical = answer.json().path("definition").toString();
        assertThat(client.put("/v1/ids/" + name, canonical).status())
                .as(canonical)
                .isEqualTo(200);
        return answer.json();
    }

    private JsonNode decoded(String name, String id) {
        Answer answer = client.fetch("/v1/ids/" + name + "/decode/" + id);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return answer.json();
    }

    private void assertForeign(String name, String... ids) {
        for (String id : ids) {
            Answer answer = client.fetch("/v1/ids/" + name + "/decode/" + id);
            assertThat(answer.status()).as(id + ": " + answer.text()).isEqualTo(400);
            assertThat(answer.problem()).as(id).isEqualTo("bad-id");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"kind\":\"uuid\",\"version\":5}|version|1, 4, 6 or 7",
                "{\"kind\":\"uuid\",\"version\":\"7\"}|version|whole number",
                "{\"kind\":\"uuid\",\"version\":4294967303}|version|1, 4, 6 or 7",
                "{\"kind\":\"uuid\",\"step\":7}|step|allowed: code, kind, machineIndex, prefix, version",
                "{\"kind\":\"uuid\",\"public\":{\"type\":\"ord\"}}|public|allowed",
                "{\"kind\":\"ulid\",\"version\":7}|version|allowed",
                "{\"kind\":\"objectid\",\"start\":1}|start|allowed",
                "{\"kind\":\"typeid\",\"typePrefix\":\"Ord\"}|Ord|prefix",
                "{\"kind\":\"typeid\",\"typePrefix\":7}|typePrefix|text",
                "{\"kind\":\"interleaved\"}|nodes|node",
                "{\"kind\":\"interleaved\",\"nodes\":5}|node|given",
                "{\"kind\":\"interleaved\",\"nodes\":5,\"node\":6}|node|between 1 and 5",
                "{\"kind\":\"interleaved\",\"nodes\":5,\"node\":0}|node|between 1 and 5",
                "{\"kind\":\"interleaved\",\"nodes\":0,\"node\":1}|nodes|between 1 and",
                "{\"kind\":\"shuffled\",\"step\":0}|step|between 1 and",
                "{\"kind\":\"gene\",\"shardBits\":0}|shardBits|between 1 and 16",
                "{\"kind\":\"gene\",\"shardBits\":17}|shardBits|between 1 and 16",
                "{\"kind\":\"gene\",\"layout\":\"twitter\"}|layout|55 bits at most",
                "{\"kind\":\"gene\",\"lane\":\"striped\"}|lane|allowed",
                "{\"kind\":\"template\"}|template|ORD{yyyyMMdd}{seq:6}",
                "{\"kind\":\"template\",\"template\":\"\"}|template|1 to",
                "{\"kind\":\"template\",\"template\":\"A\"}|seq|needs",
                "{\"kind\":\"template\",\"template\":\"A{seq}{seq}\"}|seq|one",
                "{\"kind\":\"template\",\"template\":\"A{sec}\"}|sec|",
                "{\"kind\":\"template\",\"template\":\"A{seq\"}|A{seq|",
                "{\"kind\":\"template\",\"template\":\"A{seq:99}\"}|99|",
                "{\"kind\":\"template\",\"template\":\"A{machine}-{seq}\"}|machine|",
                "{\"kind\":\"template\",\"template\":\"A{yyyyMMdd}{seq:6}\"}|never|yyyy",
                "{\"kind\":\"template\",\"template\":\"A{yyyyMM}{seq:6}\",\"reset\":\"daily\"}|daily|yyyyMMdd",
                "{\"kind\":\"template\",\"template\":\"A{seq}\",\"timeZone\":\"Mars/Base\"}|Mars/Base|Europe/Berlin",
                "{\"kind\":\"template\",\"template\":\"A{seq}\",\"reset\":\"hourly\"}|reset|monthly",
                "{\"kind\":\"template\",\"template\":\"A{yyyy}{seq}\",\"reset\":{\"fiscalYearStart\":\"4-1\"}}|reset|04-01",
                "{\"kind\":\"template\",\"template\":\"A{yyyy}{seq}\",\"reset\":{\"start\":\"04-01\"}}|start|fiscalYearStart",
                "{\"kind\":\"sequence\",\"public\":\"ord\"}|public|type",
                "{\"kind\":\"sequence\",\"public\":{}}|public|type",
                "{\"kind\":\"sequence\",\"public\":{\"type\":\"ORD\"}}|ORD|",
                "{\"kind\":\"sequence\",\"public\":{\"type\":\"ord\",\"key\":\"k\"}}|key|allowed: type",
                "{\"kind\":\"snowflake\",\"layout\":{\"epoch\":\"2999-01-01T00:00:00Z\"}}|epoch|in the future",
                "{\"kind\":\"snowflake\",\"layout\":{\"epoch\":\"1970-01-01T00:00:00Z\",\"timeBits\":38}}|ended|epoch",
            })
    void aBadDefinitionIsRefusedNamingTheFieldAndWhatIsAllowed(String body, String field, String allowed) {
        Answer answer = client.put("/v1/ids/bad", body);
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(answer.problem()).isEqualTo("bad-definition");
        assertThat(answer.detail()).contains(field).contains(allowed == null ? "" : allowed);
        assertThat(client.fetch("/v1/ids/bad").status()).isEqualTo(404);
    }

    @Test
    void definitionsOfTheFirstVersionAreStillReadAndStillTheSame() {
        Map<String, String> old = Map.of(
                "old1", "{\"kind\":\"snowflake\",\"layout\":\"twitter\",\"lane\":\"strict\"}",
                "old2",
                        "{\"kind\":\"snowflake\",\"layout\":{\"unit\":\"PT0.001S\",\"timeBits\":40,\"workerBits\":8,"
                                + "\"sequenceBits\":10,\"epoch\":\"2020-01-01T00:00:00Z\"},\"lane\":\"strict\"}",
                "old3",
                        "{\"kind\":\"segment\",\"start\":1,\"step\":1000,\"prefix\":\"S\",\"code\":91,\"machineIndex\":7}",
                "old4", "{\"kind\":\"sequence\",\"start\":10,\"increment\":5,\"max\":32}");
        old.forEach((name, text) -> {
            backend.definitions().putIfAbsent(name, text);
            assertThat(client.next(name, 1)).as(name).hasSize(1);
            assertThat(client.fetch("/v1/ids/" + name).json().path("definition").toString())
                    .isEqualTo(text);
            assertThat(client.put("/v1/ids/" + name, text).status()).isEqualTo(200);
        });
        // One that expired since it was defined can be looked at, and says why it gives nothing.
        backend.definitions()
                .putIfAbsent(
                        "ended",
                        "{\"kind\":\"snowflake\",\"layout\":{\"unit\":\"PT0.001S\",\"timeBits\":38,\"workerBits\":8,"
                                + "\"sequenceBits\":10,\"epoch\":\"1970-01-01T00:00:00Z\"},\"lane\":\"strict\"}");
        assertThat(client.fetch("/v1/ids/ended")
                        .json()
                        .path("outlook")
                        .path("warning")
                        .asString())
                .contains("ends in -");
        assertThat(client.post("/v1/ids/ended/next", "").problem()).isEqualTo("range-exhausted");
    }

    @ParameterizedTest
    @CsvSource({"1", "4", "6", "7"})
    void uuids(int version) {
        String name = "uuid" + version;
        define(name, "{\"kind\":\"uuid\",\"version\":" + version + "}");
        List<String> ids = client.next(name, 5_000);
        assertThat(new HashSet<>(ids)).hasSize(5_000);
        UUID uuid = UUID.fromString(ids.get(0));
        assertThat(uuid.version()).isEqualTo(version);
        if (version == 7 || version == 6) {
            assertThat(ids).isSorted();
        }
        JsonNode parts = decoded(name, ids.get(0));
        assertThat(parts.path("version").asInt()).isEqualTo(version);
        assertThat(parts.has("time")).isEqualTo(version != 4);
        assertForeign(
                name,
                "x",
                ids.get(0).toUpperCase(java.util.Locale.ROOT).replace('0', 'A'),
                ids.get(0).replace("-", ""),
                "1-1-1-1-1",
                version == 4 ? "01890a5d-ac96-774b-bcce-b302099a8057" : "919108f7-52d1-4320-9bac-f847db4148a8");
    }

    @Test
    void ulidsObjectIdsAndTypeIds() {
        define("ulid", "{\"kind\":\"ulid\",\"prefix\":\"u_\"}");
        List<String> ulids = client.next("ulid", 3_000);
        assertThat(ulids).doesNotHaveDuplicates().isSorted().allMatch(id -> id.matches("u_[0-9A-HJKMNP-TV-Z]{26}"));
        assertRecent(decoded("ulid", ulids.get(0)));
        assertForeign(
                "ulid", ulids.get(0).substring(2), "u_81ARZ3NDEKTSV4RRFFQ69G5FAV", "u_01ARZ3NDEKTSV4RRFFQ69G5FAVX");

        define("objectid", "{\"kind\":\"objectid\"}");
        List<String> objectIds = client.next("objectid", 3_000);
        assertThat(objectIds).doesNotHaveDuplicates().allMatch(id -> id.matches("[0-9a-f]{24}"));
        assertRecent(decoded("objectid", objectIds.get(0)));
        assertForeign("objectid", "507f1f77bcf86cd79943901", "507f1f77bcf86cd79943901g");

        define("typeid", "{\"kind\":\"typeid\",\"typePrefix\":\"user\"}");
        List<String> typeIds = client.next("typeid", 3_000);
        assertThat(typeIds)
                .doesNotHaveDuplicates()
                .isSorted()
                .allMatch(id -> id.matches("user_[0-7][0-9a-hjkmnp-tv-z]{25}"));
        assertRecent(decoded("typeid", typeIds.get(0)));
        assertForeign("typeid", typeIds.get(0).replace("user", "order"), "user_81h2xcejqtf2nbrexx3vqjhp41");
        assertThat(client.fetch("/v1/ids/ulid").json().path("issued").asInt()).isEqualTo(3_000);
    }

    private static void assertRecent(JsonNode parts) {
        assertThat(Duration.between(Instant.parse(parts.path("time").asString()), Instant.now()))
                .isBetween(Duration.ofSeconds(-2), Duration.ofSeconds(60));
    }

    @Test
    void shuffledNumbersComeOnceAndInNoOrderAndInterleavedOnesAreTheServersShare() {
        define("mixed", "{\"kind\":\"shuffled\",\"step\":500,\"max\":2000}");
        List<String> numbers = new ArrayList<>(client.next("mixed", 1_990));
        assertThat(numbers)
                .hasSize(1_990)
                .isNotEqualTo(numbers.stream().sorted().toList());
        numbers.addAll(client.next("mixed", 100));
        assertThat(numbers).doesNotHaveDuplicates().hasSize(2_000);
        assertThat(numbers).allMatch(n -> Long.parseLong(n) >= 1 && Long.parseLong(n) <= 2_000);
        assertThat(client.post("/v1/ids/mixed/next", "").problem()).isEqualTo("range-exhausted");
        assertThat(client.fetch("/v1/ids/mixed")
                        .json()
                        .path("outlook")
                        .path("left")
                        .asString())
                .isEqualTo("0");

        define("share", "{\"kind\":\"interleaved\",\"nodes\":5,\"node\":2}");
        assertThat(client.next("share", 3)).containsExactly("2", "7", "12");
        assertThat(decoded("share", "12").path("position").asInt()).isEqualTo(2);
        assertForeign("share", "1", "3", "0");
        assertThat(client.put("/v1/ids/share", "{\"kind\":\"interleaved\",\"nodes\":5,\"node\":3}")
                        .problem())
                .isEqualTo("definition-conflict");
    }

    @Test
    void templates() {
        define("order", "{\"kind\":\"template\",\"template\":\"ORD{yyyyMMdd}{seq:6}\",\"reset\":\"daily\"}");
        LocalDate before = LocalDate.now(ZoneOffset.UTC);
        List<String> orders = client.next("order", 3);
        LocalDate after = LocalDate.now(ZoneOffset.UTC);
        assertThat(orders).hasSize(3).doesNotHaveDuplicates().allMatch(id -> id.matches("ORD\\d{14}"));
        JsonNode parts = decoded("order", orders.get(0));
        assertThat(LocalDate.parse(parts.path("firstDay").asString())).isBetween(before, after);
        assertForeign("order", "ORD20260230000001", "ORD2026", "20261121000001", orders.get(0) + "0");
        JsonNode outlook = client.fetch("/v1/ids/order").json().path("outlook");
        assertThat(outlook.path("perPeriod").asString()).isEqualTo("999999");
        assertThat(outlook.path("period").asString()).isEqualTo("day");

        define("narrow", "{\"kind\":\"template\",\"template\":\"N-{seq:1}\"}");
        assertThat(client.next("narrow", 8)).startsWith("N-1").endsWith("N-8");
        assertThat(client.fetch("/v1/ids/narrow")
                        .json()
                        .path("outlook")
                        .path("left")
                        .asString())
                .isEqualTo("1");
        assertThat(client.next("narrow", 1)).containsExactly("N-9");
        Answer full = client.post("/v1/ids/narrow/next", "");
        assertThat(full.problem()).isEqualTo("range-exhausted");
        assertThat(full.detail()).contains("{seq:3}");

        define(
                "fiscal",
                "{\"kind\":\"template\",\"template\":\"{biz}/{yyyy}/{machine:4}/{seq}\",\"timeZone\":\"Asia/Tokyo\","
                        + "\"reset\":{\"fiscalYearStart\":\"04-01\"},\"machineIndex\":17,\"code\":92,\"prefix\":\"F\"}");
        assertThat(client.next("fiscal", 1)).allMatch(id -> id.matches("F92/\\d{4}/0017/1"));
        assertThat(client.fetch("/id-builder/increase-seq-id-str?code=92").text())
                .matches("F92/\\d{4}/0017/2");
        assertThat(client.fetch("/id-builder/increase-seq-id?code=92").problem())
                .isEqualTo("wrong-kind");
    }

    @Test
    void whoDefinesACodeIsToldHowToCallItAndWhereJavaScriptWouldRound() {
        JsonNode snowflake =
                define("web-orders", "{\"kind\":\"snowflake\",\"code\":701}").path("byCode");
        assertThat(snowflake.path("number").asString()).isEqualTo("/id-builder/increase-seq-id?code=701");
        assertThat(snowflake.path("text").asString()).isEqualTo("/id-builder/increase-seq-id-str?code=701");
        assertThat(snowflake.path("warning").asString()).contains("JavaScript", "53 bits", "\"text\"");
        String bare = client.fetch(snowflake.path("number").asString()).text();
        assertThat((long) Double.parseDouble(bare))
                .as("what JavaScript makes of it differs, or could")
                .isGreaterThan(1L << 53);
        assertThat(client.fetch(snowflake.path("text").asString()).text()).matches("\\d{18,19}");
        assertThat(client.fetch("/v1/ids/web-orders").json().path("byCode")).isEqualTo(snowflake);

        assertThat(byCode("safe", "{\"kind\":\"snowflake\",\"layout\":\"jsSafe\",\"code\":702}"))
                .containsExactlyInAnyOrder("number", "text");
        assertThat(byCode("counted", "{\"kind\":\"segment\",\"code\":703}"))
                .containsExactlyInAnyOrder("number", "text");
        assertThat(byCode("far", "{\"kind\":\"segment\",\"start\":9007199254740993,\"code\":704}"))
                .contains("warning");
        assertThat(byCode("texts", "{\"kind\":\"ulid\",\"code\":705}")).containsExactly("text");
        assertThat(byCode("veiled", "{\"kind\":\"segment\",\"code\":706,\"public\":{\"type\":\"ord\"}}"))
                .containsExactly("text");
        assertThat(byCode("genetic", "{\"kind\":\"gene\",\"code\":707}")).isEmpty();
        assertThat(byCode("nameless", "{\"kind\":\"snowflake\"}")).isEmpty();
        assertThat(define("unordered", "{\"kind\":\"shuffled\",\"code\":708}")
                        .path("byCode")
                        .path("text")
                        .asString())
                .isEqualTo("/id-builder/increase-id-str?code=708");
    }

    private List<String> byCode(String name, String definition) {
        return List.copyOf(define(name, definition).path("byCode").propertyNames());
    }

    @Test
    void publicTextHidesTheNumberAndIsUndone() {
        define("hidden", "{\"kind\":\"sequence\",\"code\":93,\"public\":{\"type\":\"ord\"}}");
        List<String> ids = client.next("hidden", 600);
        assertThat(ids).doesNotHaveDuplicates().allMatch(id -> id.matches("ord_[1-9A-HJ-NP-Za-km-z]{13}"));
        assertThat(decoded("hidden", ids.get(0)).path("number").asLong()).isEqualTo(1);
        assertThat(decoded("hidden", ids.get(599)).path("number").asLong()).isEqualTo(600);
        String id = ids.get(5);
        assertForeign(
                "hidden",
                "6",
                id.replace("ord_", "usr_"),
                id.substring(0, id.length() - 1),
                id + "1",
                id.substring(0, id.length() - 2) + "l" + id.substring(id.length() - 1),
                id.substring(0, id.length() - 1) + (id.endsWith("2") ? "3" : "2"));
        assertThat(client.fetch("/id-builder/increase-seq-id?code=93").problem())
                .as("a bare number would tell")
                .isEqualTo("wrong-kind");
        assertThat(client.fetch("/id-builder/increase-seq-id-str?code=93").text())
                .startsWith("ord_");
        define("alike", "{\"kind\":\"sequence\",\"public\":{\"type\":\"usr\"}}");
        assertThat(client.next("alike", 1).get(0).substring(4))
                .isNotEqualTo(ids.get(0).substring(4));
        assertThat(client.fetch("/v1/ids").text()).doesNotContain("public-key");
        assertThat(client.fetch("/v1/ids/%2Fpublic-key%2F0").problem()).isEqualTo("bad-name");
    }

    @Test
    void serversOverOneStoreShareTheKeysOfPublicIds() {
        StoreLocation store = new StoreLocation(
                "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", Optional.empty(), Optional.empty());
        try (Node first = Node.open(NodeOptions.at("127.0.0.1", 0), store);
                Node second = Node.open(NodeOptions.at("127.0.0.1", 0), store)) {
            TestClient a = new TestClient(first.port());
            TestClient b = new TestClient(second.port());
            a.put("/v1/ids/hidden", "{\"kind\":\"sequence\",\"public\":{\"type\":\"ord\"}}");
            String one = a.next("hidden", 1).get(0);
            String two = b.next("hidden", 1).get(0);
            assertThat(b.fetch("/v1/ids/hidden/decode/" + one)
                            .json()
                            .path("number")
                            .asInt())
                    .isEqualTo(1);
            assertThat(a.post("/v1/public-ids/rotate", "")
                            .json()
                            .path("version")
                            .asInt())
                    .isEqualTo(1);
            String three = a.next("hidden", 1).get(0);
            assertThat(three.charAt(4)).as("the key's version").isNotEqualTo(one.charAt(4));
            int number = 1;
            for (String id : List.of(one, two, three)) {
                for (TestClient client : List.of(a, b)) {
                    assertThat(client.fetch("/v1/ids/hidden/decode/" + id)
                                    .json()
                                    .path("number")
                                    .asInt())
                            .isEqualTo(number);
                }
                number++;
            }
            assertThat(b.next("hidden", 1).get(0).charAt(4)).isEqualTo(three.charAt(4));
        }
    }

    @Test
    void theStripedLaneIsAsUniqueAsTheStrictOne() {
        define("striped", "{\"kind\":\"snowflake\",\"lane\":\"striped\"}");
        assertThat(client.put("/v1/ids/striped", "{\"kind\":\"snowflake\"}").problem())
                .isEqualTo("definition-conflict");
        HashSet<String> ids = new HashSet<>();
        for (int i = 0; i < 5; i++) {
            ids.addAll(client.next("striped", 10_000));
        }
        assertThat(ids).hasSize(50_000);
        assertThat(client.fetch("/v1/ids/striped")
                        .json()
                        .path("workers")
                        .path(0)
                        .path("held")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void aShardKeyIsForKindsThatCarryOne() {
        Answer answer = client.post("/v1/ids/default/next?shardKey=7", "");
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.detail()).contains("snowflake").contains("gene");
        define("genes", "{\"kind\":\"gene\",\"code\":94}");
        for (String missing : List.of("", "?shardKey=", "?shardKey=" + "k".repeat(201))) {
            Answer refused = client.post("/v1/ids/genes/next" + missing, "");
            assertThat(refused.problem()).as(missing).isEqualTo("bad-request");
            assertThat(refused.detail()).contains("shardKey");
        }
        assertThat(client.fetch("/id-builder/increase-seq-id?code=94").problem())
                .isEqualTo("bad-request");
    }

    @Test
    void anIdCarriesTheShardOfItsKey() {
        define("orders-of", "{\"kind\":\"gene\",\"shardBits\":4,\"public\":{\"type\":\"ord\"}}");
        define("plain-of", "{\"kind\":\"gene\",\"shardBits\":4}");
        HashSet<String> ids = new HashSet<>();
        HashSet<Integer> shards = new HashSet<>();
        for (String user : List.of("42", "-7", "0", "007", "anna", "b%C3%A9a", "99999999999999999999")) {
            List<String> own = drawFor("plain-of", user, 50);
            List<Integer> genes = own.stream()
                    .map(id -> (int) (Long.parseLong(id) % 16))
                    .distinct()
                    .toList();
            assertThat(genes).as(user).hasSize(1);
            assertThat(decoded("plain-of", own.get(0)).path("shard").asInt()).isEqualTo(genes.get(0));
            assertRecent(decoded("plain-of", own.get(0)));
            String hidden = drawFor("orders-of", user, 1).get(0);
            assertThat(decoded("orders-of", hidden).path("shard").asInt()).isEqualTo(genes.get(0));
            ids.addAll(own);
            shards.add(genes.get(0));
        }
        assertThat(ids).hasSize(7 * 50);
        assertThat(shards).as("not all the same").hasSizeGreaterThan(2);
        // As the library has it, for whoever computes shards without a server.
        assertThat(decoded("plain-of", drawFor("plain-of", "42", 1).get(0))
                        .path("shard")
                        .asInt())
                .isEqualTo(new dev.tenon.id.Gene(4).shardFor(42L));
        assertThat(client.fetch("/v1/ids/plain-of")
                        .json()
                        .path("outlook")
                        .path("expires")
                        .asString())
                .startsWith("2094-");
    }

    private List<String> drawFor(String name, String key, int count) {
        Answer answer = client.post("/v1/ids/" + name + "/next?count=" + count + "&shardKey=" + key, "");
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return answer.json().path("ids").valueStream().map(JsonNode::asString).toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"above\":5}|text",
                "{\"above\":\"-1\"}|0 or more",
                "{\"above\":\"x\"}|0 or more",
                "{\"above\":\"99999999999999999999\"}|0 or more",
                "{\"above\":\"9223372036854775807\"}|nothing would be left",
                "{\"abvoe\":\"5\"}|above",
                "{}|--above",
            })
    void aBadRaiseIsRefused(String body, String words) {
        client.put("/v1/ids/never-drawn", "{\"kind\":\"sequence\"}");
        Answer answer = client.post("/v1/ids/never-drawn/raise", body);
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(answer.detail()).contains(words);
        assertThat(client.post("/v1/ids/nobody/raise", "{\"above\":\"5\"}").problem())
                .isEqualTo("unknown-id-name");
        assertThat(client.post("/v1/ids/default/raise", "{\"above\":\"5\"}").problem())
                .isEqualTo("wrong-kind");
    }

    @Test
    void aDefinitionOfANewerServerHindersNothingElse() {
        backend.definitions().putIfAbsent("from-the-future", "{\"kind\":\"quantum\"}");
        assertThat(client.fetch("/v1/ids").status()).isEqualTo(200);
        Answer answer = client.post("/v1/ids/from-the-future/next", "");
        assertThat(answer.problem()).isEqualTo("wrong-kind");
        assertThat(answer.detail()).contains("newer").contains("quantum");
    }

    @Test
    void workerIdsThatAreAllTakenAreSaidWithTheirHolders() {
        StoreLocation store = new StoreLocation(
                "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", Optional.empty(), Optional.empty());
        Node first = Node.open(NodeOptions.at("127.0.0.1", 0), store);
        try (Node second = Node.open(NodeOptions.at("127.0.0.1", 0), store)) {
            TestClient a = new TestClient(first.port());
            TestClient b = new TestClient(second.port());
            a.put("/v1/ids/lonely", "{\"kind\":\"snowflake\",\"layout\":{\"workerBits\":0,\"timeBits\":41}}");
            assertThat(a.next("lonely", 1)).hasSize(1);
            JsonNode holder = b.fetch("/v1/ids/lonely").json().path("workers").path(0);
            assertThat(holder.path("held").asBoolean()).isTrue();
            assertThat(Instant.parse(holder.path("since").asString()))
                    .isBefore(Instant.now().plusSeconds(5));
            Answer refused = b.post("/v1/ids/lonely/next", "");
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.problem()).isEqualTo("ids-unavailable");
            assertThat(refused.detail()).contains(holder.path("owner").asString());
            first.close();
            assertThat(b.next("lonely", 1)).as("given back at the end").hasSize(1);
            assertThat(b.fetch("/v1/ids/lonely").json().path("workers")).hasSize(1);
        } finally {
            first.close();
        }
    }
}
