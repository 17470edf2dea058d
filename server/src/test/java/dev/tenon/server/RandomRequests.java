package dev.tenon.server;

import dev.tenon.server.Described.Operation;
import dev.tenon.server.Described.Parameter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Requests made up from the description of an operation: most are as it says, some break it in one place. The same seed
 * gives the same requests.
 */
final class RandomRequests {
    private static final int ODD_ONE_IN = 12;
    private static final List<String> NAMES = List.of("default", "a", "b", "c/d", "ü", "a b", "x%2Fy", "#", "e.f");
    private static final List<String> DURATIONS = List.of("PT0S", "PT1S", "PT0.02S", "PT30S", "PT10M");
    private static final List<String> ODD_TEXTS = List.of(
            "", " ", "\u0000", "x".repeat(300), "-1", "é\uD83D\uDE00", "null", "../..", "%", "\"", "P", "PT", "-PT1S");

    private final Described described;
    private final Random random;
    private final JsonMapper json = new JsonMapper();
    private String session = "";

    RandomRequests(Described described, long seed) {
        this.described = described;
        this.random = new Random(seed);
    }

    /** A request: where to, and with which body. */
    record Request(String method, String target, String body) {}

    /** Names a session that exists, so that not every lock is refused. */
    void knows(String existing) {
        session = existing;
    }

    Request next(Operation operation) {
        String path = operation.path();
        List<String> query = new ArrayList<>();
        for (Parameter parameter : described.parameters(operation)) {
            if (parameter.in().equals("path")) {
                path = path.replace("{" + parameter.name() + "}", OpenApiTest.encoded(pathText(operation, parameter)));
            } else if (parameter.required() ? !odd() : random.nextBoolean()) {
                query.add(parameter.name() + "="
                        + OpenApiTest.encoded(text(value(parameter.name(), parameter.schema(), 0))));
            }
        }
        if (odd()) {
            query.add("unknown=1");
        }
        String target = query.isEmpty() ? path : path + "?" + String.join("&", query);
        JsonNode schema = described.bodySchema(operation);
        return new Request(operation.method(), target, schema.isMissingNode() ? "" : body(schema));
    }

    private String pathText(Operation operation, Parameter parameter) {
        if (odd()) {
            return ODD_TEXTS.get(random.nextInt(ODD_TEXTS.size()));
        }
        // The session that is known stays: without it, every lock would be refused.
        return operation.path().startsWith("/v1/sessions/")
                        && !operation.method().equals("DELETE")
                ? session
                : NAMES.get(random.nextInt(NAMES.size()));
    }

    private String body(JsonNode schema) {
        String body = value("", schema, 0).toString();
        if (!odd()) {
            return body;
        }
        return switch (random.nextInt(4)) {
            case 0 -> body.substring(0, random.nextInt(body.length()));
            case 1 -> body + "}";
            case 2 -> body.replaceFirst(":", ":[");
            default -> "[" + body + "]";
        };
    }

    private static String text(JsonNode value) {
        return value.isString() ? value.asString() : value.toString();
    }

    private boolean odd() {
        return random.nextInt(ODD_ONE_IN) == 0;
    }

    private JsonNode value(String name, JsonNode unresolved, int depth) {
        JsonNode schema = described.resolved(unresolved);
        if (odd() && depth > 0) {
            return oddValue();
        }
        if (schema.has("oneOf")) {
            JsonNode choices = schema.path("oneOf");
            return value(name, choices.get(random.nextInt(choices.size())), depth);
        }
        if (schema.has("enum")) {
            JsonNode choices = schema.path("enum");
            return choices.get(random.nextInt(choices.size()));
        }
        return switch (schema.path("type").asString("")) {
            case "object" -> object(schema, depth);
            case "integer" -> json.valueToTree(number(schema));
            case "boolean" -> json.valueToTree(!name.equals("wait") && random.nextBoolean()); // nobody waits for long
            case "array" -> array(name, schema, depth);
            default -> json.valueToTree(plainText(name, schema));
        };
    }

    private ArrayNode array(String name, JsonNode schema, int depth) {
        ArrayNode array = json.createArrayNode();
        int length = Math.max(schema.path("minItems").asInt(0), random.nextInt(3));
        for (int i = 0; i < length; i++) {
            array.add(value(name, schema.path("items"), depth + 1));
        }
        return array;
    }

    private ObjectNode object(JsonNode schema, int depth) {
        ObjectNode object = json.createObjectNode();
        List<String> required = new ArrayList<>();
        schema.path("required").forEach(field -> required.add(field.asString()));
        for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
            if (required.contains(property.getKey()) ? !odd() : random.nextInt(3) == 0) {
                object.set(property.getKey(), value(property.getKey(), property.getValue(), depth + 1));
            }
        }
        if (odd()) {
            object.put("unknown", 1);
        }
        return object;
    }

    private String plainText(String name, JsonNode schema) {
        if (schema.path("pattern").asString("").startsWith("^P")) {
            // Nobody waits for long.
            return name.equals("wait") ? "PT0.01S" : DURATIONS.get(random.nextInt(DURATIONS.size()));
        }
        if (schema.path("format").asString("").equals("uri")) {
            return "http://127.0.0.1:1/nobody"; // nobody is there, and that is soon known
        }
        return switch (name) {
            case "session" -> random.nextInt(4) == 0 ? "nobody" : session;
            case "template" -> "T{yyyy}-{seq:4}";
            case "timeZone" -> "UTC";
            case "fiscalYearStart" -> "04-01";
            case "epoch" -> "2020-01-01T00:00:00Z";
            case "above" -> String.valueOf(random.nextInt(100_000));
            case "typePrefix", "type" -> "ord";
            default -> NAMES.get(random.nextInt(NAMES.size()));
        };
    }

    private long number(JsonNode schema) {
        long min = schema.path("minimum").asLong(-5);
        long max = schema.path("maximum").asLong(Long.MAX_VALUE);
        return switch (random.nextInt(6)) {
            case 0 -> min;
            case 1 -> max;
            case 2 -> random.nextLong();
            default -> min + random.nextInt((int) Math.min(50, max - min) + 1);
        };
    }

    private JsonNode oddValue() {
        return switch (random.nextInt(6)) {
            case 0 -> json.nullNode();
            case 1 -> json.valueToTree(random.nextLong());
            case 2 -> json.valueToTree(1.5);
            case 3 -> json.createArrayNode();
            case 4 -> json.createObjectNode();
            default -> json.valueToTree(ODD_TEXTS.get(random.nextInt(ODD_TEXTS.size())));
        };
    }
}
