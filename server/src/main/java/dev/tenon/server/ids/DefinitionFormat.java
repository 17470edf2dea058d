package dev.tenon.server.ids;

import dev.tenon.id.IdLayout;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.server.ids.IdDefinition.Segment;
import dev.tenon.server.ids.IdDefinition.Sequence;
import dev.tenon.server.ids.IdDefinition.Snowflake;
import dev.tenon.server.json.Json;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** Definitions as JSON: reads what a client sends, and writes the one canonical form, with every default filled in. */
public final class DefinitionFormat {
    private static final List<String> KINDS = List.of("segment", "sequence", "snowflake");
    private static final int SEGMENT_STEP = 1000;
    private static final int SEGMENT_STEP_MAX = 10_000_000;

    private DefinitionFormat() {}

    private record SnowflakeFields(
            String kind,
            @Nullable JsonNode layout,
            @Nullable String lane,
            @Nullable String prefix,
            @Nullable Integer code,
            @Nullable Integer machineIndex) {}

    private record SegmentFields(
            String kind,
            @Nullable Long start,
            @Nullable Long step,
            @Nullable Long max,
            @Nullable String prefix,
            @Nullable Integer code,
            @Nullable Integer machineIndex) {}

    private record SequenceFields(
            String kind,
            @Nullable Long start,
            @Nullable Long increment,
            @Nullable Long max,
            @Nullable String prefix,
            @Nullable Integer code,
            @Nullable Integer machineIndex) {}

    /** Reads a definition; what is wrong with it is refused, naming what is allowed. */
    public static IdDefinition read(JsonNode node) {
        JsonNode kind = node.get("kind");
        if (kind == null || !kind.isString() || !KINDS.contains(kind.stringValue())) {
            String given = kind == null ? "is missing" : "can't be " + kind;
            throw bad("\"kind\" " + given + "; allowed: " + String.join(", ", KINDS) + ".");
        }
        try {
            return switch (kind.stringValue()) {
                case "segment" -> segment(Json.convert(node, SegmentFields.class));
                case "sequence" -> sequence(Json.convert(node, SequenceFields.class));
                default -> snowflake(Json.convert(node, SnowflakeFields.class));
            };
        } catch (JacksonException e) {
            throw bad(Json.explain(e));
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw bad(e.getMessage() + ".");
        }
    }

    /** The canonical form. */
    public static Map<String, Object> write(IdDefinition definition) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("kind", definition.kind());
        if (definition instanceof Snowflake snowflake) {
            fields.put("layout", LayoutFormat.write(snowflake.layout()));
            fields.put("lane", "strict");
        } else if (definition instanceof Segment segment) {
            fields.put("start", segment.range().start());
            fields.put("step", segment.step());
            putMax(fields, segment.range());
        } else if (definition instanceof Sequence sequence) {
            fields.put("start", sequence.range().start());
            fields.put("increment", sequence.range().step());
            putMax(fields, sequence.range());
        }
        Label label = definition.label();
        label.prefix().ifPresent(p -> fields.put("prefix", p));
        label.code().ifPresent(c -> fields.put("code", c));
        label.machineIndex().ifPresent(m -> fields.put("machineIndex", m));
        return fields;
    }

    private static void putMax(Map<String, Object> fields, RangeDefinition range) {
        if (range.max() != Long.MAX_VALUE) {
            fields.put("max", range.max());
        }
    }

    private static IdDefinition snowflake(SnowflakeFields f) {
        if (f.lane() != null && !f.lane().equals("strict")) {
            throw bad("\"lane\" must be \"strict\", not \"" + f.lane() + "\".");
        }
        IdLayout layout = LayoutFormat.read(f.layout());
        return new Snowflake(layout, Label.of(f.prefix(), f.code(), f.machineIndex()));
    }

    private static IdDefinition segment(SegmentFields f) {
        long step = f.step() == null ? SEGMENT_STEP : f.step();
        if (step < 1 || step > SEGMENT_STEP_MAX) {
            throw bad("\"step\" must be between 1 and " + SEGMENT_STEP_MAX + ", not " + step + ".");
        }
        RangeDefinition range = range(f.start(), 1L, f.max());
        return new Segment(range, (int) step, Label.of(f.prefix(), f.code(), f.machineIndex()));
    }

    private static IdDefinition sequence(SequenceFields f) {
        RangeDefinition range = range(f.start(), f.increment() == null ? 1L : f.increment(), f.max());
        return new Sequence(range, Label.of(f.prefix(), f.code(), f.machineIndex()));
    }

    private static RangeDefinition range(@Nullable Long start, long step, @Nullable Long max) {
        return new RangeDefinition(start == null ? 1 : start, step, max == null ? Long.MAX_VALUE : max);
    }

    static ProblemException bad(@Nullable String detail) {
        return new ProblemException(ProblemType.BAD_DEFINITION, String.valueOf(detail));
    }
}
