package dev.tenon.server.ids;

import dev.tenon.Names;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * What every kind of definition may carry beside its numbers.
 *
 * @param prefix stands before each number in the text of an ID
 * @param code number by which the ID-builder interface finds the definition
 * @param machineIndex stands between prefix and number
 * @param publicType the type under which numbers are shown as public text; empty: as they are
 */
public record Label(
        Optional<String> prefix, Optional<Integer> code, Optional<Integer> machineIndex, Optional<String> publicType) {
    static final int PREFIX_MAX = 40;
    static final int MACHINE_INDEX_MAX = 999_999;

    /** Reads the fields that every kind has. */
    static Label read(DefinitionFields fields) {
        // An empty prefix and none are the same thing: none is carried.
        Optional<String> prefix = fields.text("prefix").filter(p -> !p.isEmpty());
        Optional<Integer> code = fields.integer("code");
        Optional<Integer> machineIndex = fields.integer("machineIndex");
        prefix.ifPresent(Label::checkPrefix);
        if (code.isPresent() && code.get() < 1) {
            throw DefinitionFields.bad("\"code\" must be 1 or more, not " + code.get() + ".");
        }
        if (machineIndex.isPresent() && (machineIndex.get() < 0 || machineIndex.get() > MACHINE_INDEX_MAX)) {
            throw DefinitionFields.bad("\"machineIndex\" must be between 0 and " + MACHINE_INDEX_MAX + ", not "
                    + machineIndex.get() + ".");
        }
        return new Label(prefix, code, machineIndex, Optional.empty());
    }

    /** Reads the fields that every kind of numbers has. */
    static Label ofNumbers(DefinitionFields fields) {
        Label label = read(fields);
        JsonNode shown = fields.node("public");
        if (shown == null) {
            return label;
        }
        if (!shown.isObject()) {
            throw DefinitionFields.bad("\"public\" must be an object such as {\"type\":\"ord\"}.");
        }
        DefinitionFields inner = new DefinitionFields(shown);
        String type = inner.text("type")
                .orElseThrow(() -> DefinitionFields.bad("\"public\" needs a \"type\", such as {\"type\":\"ord\"}."));
        inner.end();
        PublicKeys.requireType(type);
        return new Label(label.prefix, label.code, label.machineIndex, Optional.of(type));
    }

    /** Adds its fields to the canonical form. */
    void write(Map<String, Object> fields) {
        prefix.ifPresent(p -> fields.put("prefix", p));
        code.ifPresent(c -> fields.put("code", c));
        machineIndex.ifPresent(m -> fields.put("machineIndex", m));
        publicType.ifPresent(t -> fields.put("public", Map.of("type", t)));
    }

    private static void checkPrefix(String prefix) {
        try {
            Names.requireValid("prefix", prefix);
        } catch (IllegalArgumentException e) {
            throw DefinitionFields.bad(e.getMessage() + ".");
        }
        if (prefix.length() > PREFIX_MAX) {
            throw DefinitionFields.bad("\"prefix\" may have " + PREFIX_MAX + " characters at most.");
        }
    }

    /** What stands before the number in the text of an ID: prefix and machine index. */
    public String lead() {
        return prefix.orElse("") + machineIndex.map(String::valueOf).orElse("");
    }
}
