package dev.tenon.server.ids;

import dev.tenon.id.standard.Rfc9562;
import dev.tenon.id.standard.TypeId;
import dev.tenon.id.standard.TypeIdGenerator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * TypeIDs: a type, and a UUID of version 7 in base 32.
 *
 * @param typePrefix stands before the underscore; empty: neither does
 */
record TypeIdDefinition(String typePrefix, Label label) implements GeneratorDefinition {
    static TypeIdDefinition read(DefinitionFields fields) {
        String prefix = fields.text("typePrefix").orElse("");
        TypeIdGenerator.create(prefix); // refuses what is no prefix
        return new TypeIdDefinition(prefix, Label.read(fields));
    }

    @Override
    public String kind() {
        return "typeid";
    }

    @Override
    public void write(Map<String, Object> fields) {
        fields.put("typePrefix", typePrefix);
    }

    @Override
    public Issuer issuer(String name, IdResources resources) {
        TypeIdGenerator generator = TypeIdGenerator.create(typePrefix);
        return new TextIssuer(() -> generator.nextTypeId().toString());
    }

    @Override
    public Map<String, Object> parts(String text, IdResources resources) {
        TypeId id = TypeId.parse(typePrefix, text);
        Map<String, Object> parts = new LinkedHashMap<>();
        parts.put("typePrefix", id.prefix());
        parts.put("uuid", id.uuid().toString());
        Rfc9562.time(id.uuid()).ifPresent(time -> parts.put("time", time.toString()));
        return parts;
    }
}
