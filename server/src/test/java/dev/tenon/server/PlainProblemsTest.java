package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.server.Described.Operation;
import dev.tenon.server.Described.Parameter;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What is wrong with a request is said in the words of the interface: for each operation and each field of its
 * examples, every wrong value. No answer names what the server is made of.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PlainProblemsTest {
    private static final Pattern INSIDES = Pattern.compile(
            "(?<![\\w.-])(java|javax|jdk|sun|com|org|io|tools|dev)\\.[a-z]+[.$]|\\bat [\\w.$]+\\(|Exception|\\bError\\b"
                    + "|JsonNode|StreamRead|Constraints|Deseriali|Record|enum constant|\\w\\$\\w|`|For input string|null\\.");
    private static final List<String> WRONG = List.of(
            "true",
            "1",
            "-1",
            "1.5",
            "1e400",
            "99999999999999999999",
            "7".repeat(2_000),
            "\"x\"",
            "\"\"",
            "\"\\u0000\"",
            "\"\\ud800\"",
            "\"P9999999999999999999D\"",
            "\"" + "x".repeat(300) + "\"",
            "[]",
            "[null]",
            "[1,\"x\",{}]",
            "{}",
            "{\"a\":{\"b\":[]}}",
            "[".repeat(2_000));

    private final JsonMapper json = new JsonMapper();
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final ShopOutbox shop = ShopOutbox.inMemory();
    private Node node;
    private Described described;

    @BeforeAll
    void start() {
        node = Node.start(NodeOptions.at("127.0.0.1", 0), new MemoryServerBackend(shop.operations()));
        described =
                new Described(new TestClient(node.port()).fetch("/openapi.json").text());
    }

    @AfterAll
    void stop() {
        node.close();
        shop.close();
    }

    private JsonNode refused(String method, String target, byte[] body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + node.port() + target))
                .timeout(Duration.ofSeconds(60))
                .method(method, BodyPublishers.ofByteArray(body))
                .build();
        HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
        String told = method + " " + target + " " + shortened(new String(body, StandardCharsets.UTF_8)) + ": "
                + answer.body();
        assertThat(answer.statusCode()).as(told).isLessThan(500);
        if (answer.statusCode() < 400) {
            return json.missingNode();
        }
        JsonNode problem = json.readTree(answer.body());
        assertThat(problem.path("type").asString("")).as(told).startsWith("urn:tenon:problem:");
        assertThat(INSIDES.matcher(answer.body()).find()).as(told).isFalse();
        assertThat(problem.path("detail").asString("").length()).as(told).isBetween(5, 1_001);
        return problem;
    }

    private static String shortened(String text) {
        return text.length() <= 200 ? text : text.substring(0, 200) + "…";
    }

    private String target(Operation operation) {
        String path = operation.path();
        for (Parameter parameter : described.parameters(operation)) {
            path = path.replace("{" + parameter.name() + "}", "fuzzed");
        }
        return path;
    }

    private List<Operation> withBody() {
        return described.operations().stream()
                .filter(operation -> !described.bodySchema(operation).isMissingNode())
                .toList();
    }

    /** Every field of a document, with its path as the server writes it, and the document with a mark in its place. */
    private static Map<String, String> marked(JsonNode document) {
        Map<String, String> all = new LinkedHashMap<>();
        mark(document, document, "", all);
        return all;
    }

    private static void mark(JsonNode root, JsonNode at, String path, Map<String, String> all) {
        if (at instanceof ObjectNode object) {
            for (String name : List.copyOf(object.propertyNames())) {
                JsonNode before = object.get(name);
                String field = path.isEmpty() ? name : path + "." + name;
                object.put(name, "<MARK>");
                all.put(field, root.toString());
                object.set(name, before);
                mark(root, before, field, all);
            }
        } else if (at instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                JsonNode before = array.get(i);
                array.set(i, "<MARK>");
                all.put(path + "[" + i + "]", root.toString());
                array.set(i, before);
                mark(root, before, path + "[" + i + "]", all);
            }
        }
    }

    @Test
    void aWrongValueIsNamedByItsField() throws Exception {
        int named = 0;
        for (Operation operation : withBody()) {
            for (JsonNode example : described.bodies(operation).values()) {
                for (Map.Entry<String, String> field : marked(example).entrySet()) {
                    for (String wrong : WRONG) {
                        String body = field.getValue().replace("\"<MARK>\"", wrong);
                        JsonNode problem =
                                refused(operation.method(), target(operation), body.getBytes(StandardCharsets.UTF_8));
                        String detail = problem.path("detail").asString("");
                        if (detail.startsWith("Field ")) {
                            String key = field.getKey();
                            String last = key.substring(key.lastIndexOf('.') + 1);
                            assertThat(detail).containsAnyOf('"' + key, '"' + last);
                            named++;
                        }
                    }
                }
            }
        }
        assertThat(named).isGreaterThan(200);
    }

    @Test
    void whatIsNoDocumentAtAllIsRefusedInPlainWords() throws Exception {
        ByteArrayOutputStream bom = new ByteArrayOutputStream();
        bom.write(new byte[] {(byte) 0xef, (byte) 0xbb, (byte) 0xbf});
        bom.writeBytes("{\"nothing\":1}".getBytes(StandardCharsets.UTF_8));
        List<byte[]> bodies = new ArrayList<>(List.of(
                bom.toByteArray(),
                new byte[] {'{', '"', (byte) 0xc3, '"', ':', '1', '}'},
                new byte[] {'{', '"', 'a', '"', ':', '"', (byte) 0xff, (byte) 0xfe, '"', '}'},
                "{\"a\":1}".getBytes(StandardCharsets.UTF_16),
                new byte[] {0, 0, 0}));
        for (String text : List.of(
                "{",
                "}",
                "nul",
                "null",
                "true",
                "1",
                "\"x\"",
                "[]",
                "[{}]",
                "{\"a\":1,\"a\":2}",
                "{a:1}",
                "{'a':1}",
                "{\"a\":1} {}",
                "{\"a\":1,}",
                "{\"a\":\u0001}",
                "{\"\\ud800\":1}",
                "{\"a\":NaN}",
                "/* x */{}",
                "{\"a\":" + "[".repeat(30_000),
                "{\"" + "x".repeat(60_000) + "\":1}",
                "{\"a\":" + "9".repeat(60_000) + "}",
                "{\"java.lang\\u001bX\":1}")) {
            bodies.add(text.getBytes(StandardCharsets.UTF_8));
        }
        for (Operation operation : withBody()) {
            for (byte[] body : bodies) {
                JsonNode problem = refused(operation.method(), target(operation), body);
                assertThat(problem.path("status").asInt(0))
                        .as(operation.label() + " " + shortened(new String(body, StandardCharsets.UTF_8)))
                        .isBetween(400, 499);
            }
        }
    }

    @Test
    void theWordsAreThese() throws Exception {
        assertThat(detail("{\"ttl\":\"PT10S\",\"ttl\":\"PT20S\"}"))
                .startsWith("Field \"ttl\": it is a duplicate (line 1,");
        assertThat(detail("{\"ttl\":10}")).isEqualTo("Field \"ttl\": it must be text.");
        assertThat(detail("{\"tll\":10}")).isEqualTo("Unknown field \"tll\"; allowed: owner, ttl.");
        assertThat(detail("{\"ttl\":")).isEqualTo("This is not JSON (line 1, column 8). Send a JSON object in UTF-8.");
        assertThat(detail("[]")).isEqualTo("Send a JSON object.");
        String saga = "{\"kind\":\"saga\",\"steps\":[{\"name\":\"a\"},{\"name\":\"b\",\"after\":[7]}]}";
        assertThat(refused("POST", "/v1/transactions", saga.getBytes(StandardCharsets.UTF_8))
                        .path("detail")
                        .asString(""))
                .isEqualTo("Field \"steps[1].after[0]\": it must be text.");
    }

    private String detail(String session) throws Exception {
        return refused("POST", "/v1/sessions", session.getBytes(StandardCharsets.UTF_8))
                .path("detail")
                .asString("");
    }

    @Test
    void aWrongParameterIsRefusedInPlainWords() throws Exception {
        List<String> wrong = List.of(
                "",
                "x",
                "-1",
                "1.5",
                "99999999999999999999",
                "%00",
                "%0A",
                "%1B",
                "%C2%9B",
                "%E2%80%AE",
                "x".repeat(3_000),
                "P1Y",
                "true");
        for (Operation operation : described.operations()) {
            boolean streams = operation.path().contains("backup");
            for (Parameter parameter : described.parameters(operation)) {
                for (String value : streams ? List.<String>of() : wrong) {
                    String target = parameter.in().equals("path")
                            ? operation.path().replace("{" + parameter.name() + "}", value)
                            : target(operation) + "?" + parameter.name() + "=" + value;
                    refused(operation.method(), target.replaceAll("\\{[^}]*}", "fuzzed"), new byte[0]);
                }
            }
        }
    }
}
