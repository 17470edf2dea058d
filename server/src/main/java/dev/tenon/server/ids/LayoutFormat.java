package dev.tenon.server.ids;

import dev.tenon.id.IdLayout;
import dev.tenon.id.IdParts;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Snowflake layouts as JSON: the name of a preset, or an object. */
final class LayoutFormat {
    private static final String ALLOWED = "\"layout\" must be \"twitter\", \"sonyflake\", \"baidu\", \"jsSafe\", or an "
            + "object with unit, timeBits, workerBits, sequenceBits and epoch";

    private LayoutFormat() {}

    static IdLayout read(@Nullable JsonNode node) {
        if (node == null || node.isNull()) {
            return IdLayout.twitter();
        }
        if (node.isString()) {
            return switch (node.stringValue()) {
                case "twitter" -> IdLayout.twitter();
                case "sonyflake" -> IdLayout.sonyflake();
                case "baidu" -> IdLayout.baidu();
                case "jsSafe" -> IdLayout.jsSafe();
                default -> throw DefinitionFields.bad(ALLOWED + ", not \"" + node.stringValue() + "\".");
            };
        }
        if (!node.isObject()) {
            throw DefinitionFields.bad(ALLOWED + ".");
        }
        return custom(new DefinitionFields(node));
    }

    static Object write(IdLayout layout) {
        if (layout.equals(IdLayout.twitter())) {
            return "twitter";
        }
        if (layout.equals(IdLayout.sonyflake())) {
            return "sonyflake";
        }
        if (layout.equals(IdLayout.baidu())) {
            return "baidu";
        }
        if (layout.equals(IdLayout.jsSafe())) {
            return "jsSafe";
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("unit", layout.unit().toString());
        fields.put("timeBits", layout.timeBits());
        fields.put("workerBits", layout.workerBits());
        fields.put("sequenceBits", layout.sequenceBits());
        fields.put("epoch", layout.epoch().toString());
        return fields;
    }

    /** What an ID says; one that the layout can't have is refused with {@link IllegalArgumentException}. */
    static Map<String, Object> parts(IdLayout layout, long id) {
        IdParts decoded = layout.decode(id);
        Map<String, Object> parts = new LinkedHashMap<>();
        parts.put("time", decoded.time().toString());
        parts.put("workerId", decoded.workerId());
        if (layout.datacenterBits() > 0) {
            parts.put("datacenter", decoded.datacenter());
            parts.put("worker", decoded.worker());
        }
        parts.put("sequence", decoded.sequence());
        return parts;
    }

    private static IdLayout custom(DefinitionFields fields) {
        IdLayout.Builder builder = IdLayout.builder();
        try {
            fields.text("unit").map(Duration::parse).ifPresent(builder::unit);
            fields.text("epoch").map(Instant::parse).ifPresent(builder::epoch);
        } catch (DateTimeException e) {
            throw DefinitionFields.bad(
                    "\"unit\" must be an ISO 8601 duration such as PT0.001S, and \"epoch\" a moment such as "
                            + "2020-01-01T00:00:00Z: " + e.getMessage() + ".");
        }
        fields.integer("timeBits").ifPresent(builder::timeBits);
        fields.integer("workerBits").ifPresent(builder::workerBits);
        fields.integer("sequenceBits").ifPresent(builder::sequenceBits);
        fields.end();
        return builder.build();
    }
}
