package dev.tenon.server;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.dialect.Dialects;
import dev.tenon.server.TestClient.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What {@code /openapi.json} says, taken apart so that a running server can be held against it. */
final class Described {
    private static final String HOME = "https://tenon.test/openapi.json";
    private static final Set<String> METHODS = Set.of("get", "put", "post", "delete", "patch", "head");

    private final JsonNode document;
    private final SchemaRegistry schemas;

    Described(String text) {
        this.document = new JsonMapper().readTree(text);
        this.schemas =
                SchemaRegistry.withDialect(Dialects.getOpenApi31(), builder -> builder.schemas(Map.of(HOME, text)));
    }

    /**
     * One operation.
     *
     * @param pointer to it in the document
     * @param node what stands there, with its references as they are
     */
    record Operation(String method, String path, String pointer, JsonNode node) {
        String id() {
            return node.path("operationId").asString();
        }

        /** As routes are called: every variable is {@code {}}. */
        String label() {
            return method + " " + path.replaceAll("\\{[^}]*}", "{}");
        }
    }

    /** A parameter: where it goes, and what it may be. */
    record Parameter(String name, String in, boolean required, JsonNode schema, Optional<JsonNode> example) {}

    JsonNode document() {
        return document;
    }

    /** Every operation, in the order of the document. */
    List<Operation> operations() {
        List<Operation> operations = new ArrayList<>();
        for (Map.Entry<String, JsonNode> path : document.path("paths").properties()) {
            for (Map.Entry<String, JsonNode> entry : path.getValue().properties()) {
                if (METHODS.contains(entry.getKey())) {
                    String pointer = "/paths/" + path.getKey().replace("/", "~1") + "/" + entry.getKey();
                    operations.add(new Operation(
                            entry.getKey().toUpperCase(java.util.Locale.ROOT),
                            path.getKey(),
                            pointer,
                            entry.getValue()));
                }
            }
        }
        return operations;
    }

    /** The parameters of an operation, those of its path first. */
    List<Parameter> parameters(Operation operation) {
        List<Parameter> parameters = new ArrayList<>();
        JsonNode shared = document.path("paths").path(operation.path()).path("parameters");
        for (JsonNode list : List.of(shared, operation.node().path("parameters"))) {
            for (JsonNode entry : list) {
                JsonNode parameter = resolved(entry);
                parameters.add(new Parameter(
                        parameter.path("name").asString(),
                        parameter.path("in").asString(),
                        parameter.path("required").asBoolean(false),
                        resolved(parameter.path("schema")),
                        Optional.ofNullable(parameter.get("example"))));
            }
        }
        return parameters;
    }

    /** The bodies that are shown as examples, by their names; one that is missing if the operation has no body. */
    Map<String, JsonNode> bodies(Operation operation) {
        Map<String, JsonNode> bodies = new TreeMap<>();
        JsonNode examples = operation
                .node()
                .path("requestBody")
                .path("content")
                .path("application/json")
                .path("examples");
        examples.properties().forEach(e -> bodies.put(e.getKey(), e.getValue().path("value")));
        return bodies;
    }

    /** The schema of a body; a missing node if the operation has none. */
    JsonNode bodySchema(Operation operation) {
        return resolved(operation
                .node()
                .path("requestBody")
                .path("content")
                .path("application/json")
                .path("schema"));
    }

    /** The node that a reference leads to, if it is one. */
    JsonNode resolved(JsonNode node) {
        String reference = node.path("$ref").asString("");
        return reference.isEmpty() ? node : resolved(document.at(reference.substring(1)));
    }

    /** What is wrong with an answer, by what is said of the operation. */
    List<String> complaints(Operation operation, Answer answer) {
        String status = String.valueOf(answer.status());
        JsonNode response = operation.node().path("responses").path(status);
        if (response.isMissingNode()) {
            return List.of(operation.id() + " does not say that it may answer " + status + ": " + answer.text());
        }
        JsonNode content = resolved(response).path("content");
        if (content.isMissingNode()) {
            return answer.text().isEmpty() ? List.of() : List.of(operation.id() + " says that there is no body");
        }
        String type = answer.header("Content-Type").split(";", 2)[0];
        if (!content.has(type)) {
            return List.of(operation.id() + " does not say that " + status + " is " + type);
        }
        String reference = response.path("$ref").asString("");
        String home = reference.isEmpty() ? operation.pointer() + "/responses/" + status : reference.substring(1);
        String pointer = home + "/content/" + type.replace("/", "~1") + "/schema";
        String json = type.endsWith("json") ? answer.text() : new JsonMapper().writeValueAsString(answer.text());
        return violations(pointer, json).stream()
                .map(v -> operation.id() + ", " + status + ": " + v + " in " + answer.text())
                .toList();
    }

    /** What is wrong with a JSON text, by the schema at a pointer. */
    List<String> violations(String pointer, String json) {
        Schema schema = schemas.getSchema(SchemaLocation.of(HOME + "#" + pointer));
        List<Error> errors = schema.validate(
                json, InputFormat.JSON, context -> context.executionConfig(c -> c.formatAssertionsEnabled(true)));
        return errors.stream().map(Error::toString).toList();
    }
}
