package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.server.Described.Operation;
import dev.tenon.server.Described.Parameter;
import dev.tenon.server.TestClient.Answer;
import dev.tenon.server.problem.ProblemType;
import dev.tenon.tx.notify.WebhookSignature;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The description of the HTTP interface, against the server that gives it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OpenApiTest {
    /** What the examples call a session and a token; a real one takes its place. */
    private static final String SESSION = "4f0c2a9e-7d1b-4c57-9a43-2f6f0b8d1e11";

    private static final long TOKEN = 33;
    private static final long SEED = 20261121;
    private static final int FUZZ_REQUESTS = 1_200;

    private final ShopOutbox shop = ShopOutbox.inMemory();
    private Node node;
    private TestClient client;
    private Described described;

    @BeforeAll
    void start() {
        Protection knowing = Protection.DEFAULT.withSecrets(name -> name.equals("orders-hook")
                ? Optional.of(WebhookSignature.of("a secret of the examples"))
                : Optional.empty());
        node = Node.start(
                NodeOptions.at("127.0.0.1", 0).withProtection(knowing),
                new MemoryServerBackend(new MemoryCluster(), shop.operations()));
        client = new TestClient(node.port());
        described = new Described(client.fetch("/openapi.json").text());
    }

    @AfterAll
    void stop() {
        node.close();
        shop.close();
    }

    @Test
    void everyRouteIsDescribedAndEveryDescribedOperationIsServed() {
        assertThat(described.operations().stream().map(Operation::label).toList())
                .containsExactlyInAnyOrderElementsOf(node.routes());
        assertThat(described.operations().stream().map(Operation::id).toList()).doesNotHaveDuplicates();
    }

    @Test
    void everyVariableOfAPathIsAParameter() {
        for (Operation operation : described.operations()) {
            List<String> variables = described.parameters(operation).stream()
                    .filter(p -> p.in().equals("path"))
                    .map(p -> "{" + p.name() + "}")
                    .toList();
            assertThat(variables)
                    .as(operation.id())
                    .allMatch(operation.path()::contains)
                    .hasSize(operation.path().split("\\{", -1).length - 1);
        }
    }

    @Test
    void everyReferenceLeadsSomewhere() {
        List<String> broken = new ArrayList<>();
        for (JsonNode reference : described.document().findValues("$ref")) {
            if (described.document().at(reference.asString().substring(1)).isMissingNode()) {
                broken.add(reference.asString());
            }
        }
        assertThat(broken).isEmpty();
    }

    @Test
    void everyProblemTypeIsDescribedWithItsStatus() {
        JsonNode components = described.document().path("components");
        List<String> types = new ArrayList<>();
        components
                .path("schemas")
                .path("Problem")
                .path("properties")
                .path("type")
                .path("enum")
                .forEach(t -> types.add(t.asString()));
        List<String> all = new ArrayList<>();
        for (ProblemType type : ProblemType.values()) {
            all.add(type.uri());
            JsonNode response = components.path("responses").path("Problem" + type.status());
            assertThat(response.path("description").asString())
                    .as("components/responses/Problem%d", type.status())
                    .contains("`" + type.uri().substring("urn:tenon:problem:".length()) + "`");
        }
        assertThat(types).containsExactlyInAnyOrderElementsOf(all);
    }

    @Test
    void findsAnAnswerThatIsNotAsDescribed() {
        Operation release = described.operations().stream()
                .filter(o -> o.id().equals("releaseLock"))
                .findFirst()
                .orElseThrow();
        Answer other = client.fetch("/healthz");
        assertThat(described.complaints(release, other)).anyMatch(c -> c.contains("released"));
        assertThat(described.complaints(release, client.call("PUT", "/healthz", "")))
                .anyMatch(c -> c.contains("405"));
        assertThat(described.violations("/components/schemas/Duration", "\"10 s\""))
                .isNotEmpty();
        assertThat(described.violations("/components/schemas/Holder/properties/since", "\"today\""))
                .isNotEmpty();
        assertThat(described.violations("/components/schemas/Definition", "{\"kind\":\"ulid\",\"start\":1}"))
                .isNotEmpty();
    }

    @Test
    void everyExampleOfAnAnswerIsOne() {
        List<String> wrong = new ArrayList<>();
        Map<String, JsonNode> contents = new TreeMap<>();
        for (Operation operation : described.operations()) {
            operation
                    .node()
                    .path("responses")
                    .properties()
                    .forEach(response -> contents.put(
                            operation.pointer() + "/responses/" + response.getKey(),
                            response.getValue().path("content")));
        }
        described
                .document()
                .path("components")
                .path("responses")
                .properties()
                .forEach(response -> contents.put(
                        "/components/responses/" + response.getKey(),
                        response.getValue().path("content")));
        contents.forEach((pointer, content) -> content.properties().forEach(type -> {
            JsonNode example = type.getValue().path("example");
            if (!example.isMissingNode()) {
                String schema = pointer + "/content/" + type.getKey().replace("/", "~1") + "/schema";
                described.violations(schema, example.toString()).forEach(v -> wrong.add(pointer + ": " + v));
            }
        }));
        assertThat(wrong).isEmpty();
    }

    @Test
    void everyExampleOfARequestIsAnsweredAsDescribed() {
        client.put("/v1/ids/orders", "{\"kind\":\"sequence\"}");
        client.next("orders", 3);
        List<String> complaints = new ArrayList<>();
        for (Operation operation : described.operations()) {
            Map<String, JsonNode> bodies = described.bodies(operation);
            if (bodies.isEmpty()) {
                complaints.addAll(sent(operation, "", new JsonMapper().missingNode()));
            }
            bodies.forEach((name, body) -> {
                String pointer = operation.pointer() + "/requestBody/content/application~1json/schema";
                complaints.addAll(described.violations(pointer, body.toString()));
                complaints.addAll(sent(operation, name, body));
            });
        }
        assertThat(complaints).isEmpty();
    }

    private List<String> sent(Operation operation, String example, JsonNode body) {
        String session = client.session("somebody");
        long token = TOKEN;
        if (operation.path().startsWith("/v1/locks/") && !operation.id().equals("acquireLock")) {
            token = client.post("/v1/locks/stock%2F42/acquire", "{\"session\":\"" + session + "\"}")
                    .json()
                    .path("token")
                    .asLong();
        }
        StringBuilder query = new StringBuilder("?");
        String path = operation.path();
        if (operation.id().equals("deleteIds")) {
            path = "/v1/ids/unissued";
            client.put(path, "{\"kind\":\"uuid\"}");
        }
        for (Parameter parameter : described.parameters(operation)) {
            if (parameter.example().isEmpty()) {
                continue;
            }
            String value = valued(parameter.example().get(), session, token).asString();
            if (parameter.in().equals("query")) {
                query.append(parameter.name())
                        .append('=')
                        .append(encoded(value))
                        .append('&');
            } else if (operation.id().equals("decodeId") && parameter.name().equals("id")) {
                path = path.replace("{id}", "2");
            } else {
                String name = operation.id().equals("defineIds")
                        ? "example-" + example
                        : parameter.name().equals("gid")
                                ? openTransaction(operation)
                                : parameter.name().equals("number") ? String.valueOf(shop.die()) : value;
                path = path.replace("{" + parameter.name() + "}", encoded(name));
            }
        }
        String text = body.isMissingNode() ? "" : valued(body, session, token).toString();
        Answer answer = client.call(operation.method(), path + query, text);
        client.call("DELETE", "/v1/sessions/" + session, "");
        List<String> complaints = new ArrayList<>(described.complaints(operation, answer));
        if (answer.status() >= 300) {
            complaints.add(operation.id() + " " + example + " was refused: " + answer.text());
        }
        return complaints;
    }

    /** One that the operation can be done to. */
    private String openTransaction(Operation operation) {
        String body = operation.id().equals("commitTransaction")
                ? "{\"kind\":\"tcc\",\"branches\":[{\"name\":\"a\",\"confirm\":\"http://127.0.0.1:1/\","
                        + "\"cancel\":\"http://127.0.0.1:1/\"}]}"
                : "{\"kind\":\"message\",\"prepared\":true,\"targets\":[{\"name\":\"a\",\"url\":\"http://127.0.0.1:1/\"}]}";
        String gid = client.post("/v1/transactions", body).json().path("gid").asString();
        if (operation.id().equals("closeTransaction")) {
            client.post("/v1/transactions/" + gid + "/suspend", "");
        }
        return gid;
    }

    /** An example with a real session and a real token in it. */
    private static JsonNode valued(JsonNode example, String session, long token) {
        JsonMapper mapper = new JsonMapper();
        if (example.isObject()) {
            ObjectNode object = mapper.createObjectNode();
            example.properties().forEach(p -> object.set(p.getKey(), valued(p.getValue(), session, token)));
            return object;
        }
        if (example.isArray()) {
            ArrayNode array = mapper.createArrayNode();
            example.forEach(e -> array.add(valued(e, session, token)));
            return array;
        }
        if (example.isString() && example.asString().equals(SESSION)) {
            return mapper.valueToTree(session);
        }
        return example.isNumber() && example.asLong() == TOKEN ? mapper.valueToTree(token) : example;
    }

    @Test
    void whateverIsAskedIsAnsweredAsDescribedAndNeverWithAFault() {
        RandomRequests requests = new RandomRequests(described, SEED);
        List<Operation> operations = described.operations();
        List<String> complaints = new ArrayList<>();
        Map<Integer, Integer> statuses = new TreeMap<>();
        requests.knows(client.session("fuzz", "PT10M"));
        for (int i = 0; i < FUZZ_REQUESTS; i++) {
            Operation operation = operations.get(i % operations.size());
            RandomRequests.Request request = requests.next(operation);
            Answer answer = client.call(operation.method(), request.target(), request.body());
            statuses.merge(answer.status(), 1, Integer::sum);
            described.complaints(operation, answer).forEach(c -> complaints.add(request + ": " + c));
            if (answer.status() >= 500) {
                complaints.add(request + " was answered with " + answer.text());
            }
        }
        assertThat(complaints).as("seed %d, answers %s", SEED, statuses).isEmpty();
        assertThat(statuses).as("some of it succeeds, some is refused").containsKeys(200, 201, 204, 400, 404, 409);
    }

    static String encoded(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace(".", "%2E");
    }
}
