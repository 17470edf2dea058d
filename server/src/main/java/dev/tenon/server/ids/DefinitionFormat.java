package dev.tenon.server.ids;

import dev.tenon.server.json.Json;
import java.time.DateTimeException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** Definitions as JSON: reads what a client sends, and writes the one canonical form, with every default filled in. */
public final class DefinitionFormat {
    private DefinitionFormat() {}

    /** Reads the text of a definition, as {@link #read(JsonNode)} does. */
    static GeneratorDefinition readText(String text) {
        JsonNode node;
        try {
            node = Json.tree(text);
        } catch (JacksonException e) {
            throw DefinitionFields.bad(Json.explain(e));
        }
        return read(node);
    }

    /**
     * Whether a text that can't be read has the outer form of a definition, so that a newer server may know more of it.
     */
    static boolean maybeNewer(String text) {
        try {
            return Json.tree(text).path("kind").isString();
        } catch (JacksonException e) {
            return false;
        }
    }

    /** Reads a definition; what is wrong with it is refused, naming what is allowed. */
    public static GeneratorDefinition read(JsonNode node) {
        Map<String, Function<DefinitionFields, GeneratorDefinition>> kinds = kinds();
        DefinitionFields fields = new DefinitionFields(node);
        JsonNode kind = fields.node("kind");
        @Nullable
        Function<DefinitionFields, GeneratorDefinition> reader =
                kind == null || !kind.isString() ? null : kinds.get(kind.stringValue());
        if (reader == null) {
            String given = kind == null ? "is missing" : "can't be " + kind;
            throw DefinitionFields.bad("\"kind\" " + given + "; allowed: " + String.join(", ", kinds.keySet()) + ".");
        }
        try {
            GeneratorDefinition definition = reader.apply(fields);
            fields.end();
            return definition;
        } catch (IllegalArgumentException | ArithmeticException | DateTimeException e) {
            throw DefinitionFields.bad(e.getMessage() + ".");
        }
    }

    /** Refuses a definition that can't be of use now, as {@link #read} does one that can't be read. */
    static void check(GeneratorDefinition definition, IdResources resources) {
        try {
            definition.check(resources);
        } catch (IllegalArgumentException e) {
            throw DefinitionFields.bad(e.getMessage() + ".");
        }
    }

    /** The canonical form. */
    public static Map<String, Object> write(GeneratorDefinition definition) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("kind", definition.kind());
        definition.write(fields);
        definition.label().write(fields);
        return fields;
    }

    private static Map<String, Function<DefinitionFields, GeneratorDefinition>> kinds() {
        Map<String, Function<DefinitionFields, GeneratorDefinition>> kinds = new TreeMap<>();
        kinds.put("snowflake", SnowflakeDefinition::read);
        kinds.put("segment", fields -> SegmentDefinition.read(fields, false));
        kinds.put("shuffled", fields -> SegmentDefinition.read(fields, true));
        kinds.put("sequence", SequenceDefinition::read);
        kinds.put("interleaved", InterleavedDefinition::read);
        kinds.put("template", TemplateDefinition::read);
        kinds.put("uuid", UuidDefinition::read);
        kinds.put("ulid", UlidDefinition::read);
        kinds.put("objectid", ObjectIdDefinition::read);
        kinds.put("typeid", TypeIdDefinition::read);
        kinds.put("gene", GeneDefinition::read);
        return kinds;
    }
}
