package dev.tenon.server.json;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import io.vertx.core.buffer.Buffer;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.type.LogicalType;

/** JSON as this server reads it (strictly: no unknown field, no duplicate, no text for a number) and writes it. */
public final class Json {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            // What is passed on to others has the digits that it came with.
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .withCoercionConfig(
                    LogicalType.Textual,
                    c -> c.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                            .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                            .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail))
            .changeDefaultPropertyInclusion(v -> v.withValueInclusion(JsonInclude.Include.NON_NULL))
            .build();

    private Json() {}

    /** The value as JSON. */
    public static Buffer write(Object value) {
        return Buffer.buffer(MAPPER.writeValueAsBytes(value));
    }

    /** The value as JSON text. */
    public static String text(Object value) {
        return MAPPER.writeValueAsString(value);
    }

    /** Parses JSON text that this server wrote itself. */
    public static JsonNode tree(String text) {
        return MAPPER.readTree(text);
    }

    /** Reads a body into a record; an empty body reads as {@code {}}. */
    public static <T> T read(Buffer body, Class<T> type) {
        try {
            T value = body.length() == 0 ? MAPPER.readValue("{}", type) : MAPPER.readValue(body.getBytes(), type);
            if (value == null) {
                throw new ProblemException(ProblemType.MALFORMED_JSON, "The body is null; send a JSON object.");
            }
            return value;
        } catch (JacksonException e) {
            throw new ProblemException(ProblemType.MALFORMED_JSON, explain(e));
        }
    }

    /** Reads a body into a tree whose root is an object. */
    public static JsonNode readObject(Buffer body) {
        try {
            JsonNode node = MAPPER.readTree(body.getBytes());
            if (node == null || !node.isObject()) {
                throw new ProblemException(
                        ProblemType.MALFORMED_JSON, "Send a JSON object, such as {\"kind\":\"snowflake\"}.");
            }
            return node;
        } catch (JacksonException e) {
            throw new ProblemException(ProblemType.MALFORMED_JSON, explain(e));
        }
    }

    /** Converts a tree into a record, with every field checked. */
    public static <T> T convert(JsonNode node, Class<T> type) throws JacksonException {
        return MAPPER.treeToValue(node, type);
    }

    /** What is wrong with JSON, in a sentence or two for whoever sent it. */
    public static String explain(JacksonException e) {
        return JsonFault.explain(e);
    }
}
