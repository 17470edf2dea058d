package dev.tenon.server.ids;

import dev.tenon.id.standard.Ulid;
import dev.tenon.id.standard.UlidGenerator;
import java.util.LinkedHashMap;
import java.util.Map;

/** ULIDs: 48 bits of time and 80 random ones, as 26 characters that sort by time. */
record UlidDefinition(Label label) implements GeneratorDefinition {
    static UlidDefinition read(DefinitionFields fields) {
        return new UlidDefinition(Label.read(fields));
    }

    @Override
    public String kind() {
        return "ulid";
    }

    @Override
    public void write(Map<String, Object> fields) {}

    @Override
    public Issuer issuer(String name, IdResources resources) {
        UlidGenerator generator = UlidGenerator.create();
        return new TextIssuer(() -> generator.nextUlid().toString());
    }

    @Override
    public Map<String, Object> parts(String text, IdResources resources) {
        Ulid ulid = Ulid.parse(text);
        if (!ulid.toString().equals(text)) {
            throw new IllegalArgumentException("it is written as " + ulid);
        }
        Map<String, Object> parts = new LinkedHashMap<>();
        parts.put("time", ulid.time().toString());
        parts.put("uuid", ulid.toUuid().toString());
        return parts;
    }
}
