package dev.tenon.server.ids;

import dev.tenon.id.IdLayout;
import dev.tenon.id.IdParts;
import dev.tenon.server.json.Json;
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

    private record Fields(
            @Nullable String unit,
            @Nullable Integer timeBits,
            @Nullable Integer workerBits,
            @Nullable Integer sequenceBits,
            @Nullable String epoch) {}

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
                default -> throw DefinitionFormat.bad(ALLOWED + ", not \"" + node.stringValue() + "\".");
            };
        }
        if (!node.isObject()) {
            throw DefinitionFormat.bad(ALLOWED + ".");
        }
        return custom(Json.convert(node, Fields.class));
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

    private static IdLayout custom(Fields f) {
        IdLayout.Builder builder = IdLayout.builder();
        try {
            if (f.unit() != null) {
                builder.unit(Duration.parse(f.unit()));
            }
            if (f.epoch() != null) {
                builder.epoch(Instant.parse(f.epoch()));
            }
        } catch (DateTimeException e) {
            throw DefinitionFormat.bad(
                    "\"unit\" must be an ISO 8601 duration such as PT0.001S, and \"epoch\" a moment such as "
                            + "2020-01-01T00:00:00Z: " + e.getMessage() + ".");
        }
        if (f.timeBits() != null) {
            builder.timeBits(f.timeBits());
        }
        if (f.workerBits() != null) {
            builder.workerBits(f.workerBits());
        }
        if (f.sequenceBits() != null) {
            builder.sequenceBits(f.sequenceBits());
        }
        return builder.build();
    }
}
