package dev.tenon.server.ids;

import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The fields of a JSON object, read one by one and strictly; at the end, what nobody has asked for is refused. */
final class DefinitionFields {
    private final JsonNode node;
    private final TreeSet<String> known = new TreeSet<>();

    DefinitionFields(JsonNode node) {
        this.node = node;
    }

    /** A field as it is; null if it is left out or null. */
    @Nullable
    JsonNode node(String field) {
        known.add(field);
        JsonNode value = node.get(field);
        return value == null || value.isNull() ? null : value;
    }

    Optional<String> text(String field) {
        JsonNode value = node(field);
        if (value == null) {
            return Optional.empty();
        }
        if (!value.isString()) {
            throw bad("Field \"" + field + "\": it must be text.");
        }
        return Optional.of(value.stringValue());
    }

    Optional<Long> number(String field) {
        JsonNode value = node(field);
        if (value == null) {
            return Optional.empty();
        }
        if (!value.isIntegralNumber()) {
            throw bad("Field \"" + field + "\": it must be a whole number.");
        }
        if (!value.canConvertToLong()) {
            throw bad("Field \"" + field + "\": " + value + " is out of the range of 64-bit numbers.");
        }
        return Optional.of(value.longValue());
    }

    Optional<Integer> integer(String field) {
        return number(field).map(value -> {
            if (value != value.intValue()) {
                throw bad("Field \"" + field + "\": " + value + " is out of the range of 32-bit numbers.");
            }
            return value.intValue();
        });
    }

    /** A whole number between bounds. */
    int integer(String field, int otherwise, int min, int max) {
        long value = number(field).orElse((long) otherwise);
        if (value < min || value > max) {
            throw bad("\"" + field + "\" must be between " + min + " and " + max + ", not " + value + ".");
        }
        return (int) value;
    }

    /** Refuses every field that was not asked for. */
    void end() {
        for (String field : node.propertyNames()) {
            if (!known.contains(field)) {
                throw bad("There is no field \"" + field + "\" here; allowed: "
                        + known.stream().collect(Collectors.joining(", ")) + ".");
            }
        }
    }

    static ProblemException bad(String detail) {
        return new ProblemException(ProblemType.BAD_DEFINITION, detail);
    }
}
