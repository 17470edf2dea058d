package dev.tenon.server.ids;

import dev.tenon.id.standard.ObjectId;
import dev.tenon.id.standard.ObjectIdGenerator;
import java.util.LinkedHashMap;
import java.util.Map;

/** MongoDB's ObjectIds: seconds, a number of the process, and a counter, as 24 hexadecimal digits. */
record ObjectIdDefinition(Label label) implements GeneratorDefinition {
    static ObjectIdDefinition read(DefinitionFields fields) {
        return new ObjectIdDefinition(Label.read(fields));
    }

    @Override
    public String kind() {
        return "objectid";
    }

    @Override
    public void write(Map<String, Object> fields) {}

    @Override
    public Issuer issuer(String name, IdResources resources) {
        ObjectIdGenerator generator = ObjectIdGenerator.create();
        return new TextIssuer(() -> generator.nextObjectId().toString());
    }

    @Override
    public Map<String, Object> parts(String text, IdResources resources) {
        ObjectId id = ObjectId.parse(text);
        if (!id.toString().equals(text)) {
            throw new IllegalArgumentException("it is written as " + id);
        }
        Map<String, Object> parts = new LinkedHashMap<>();
        parts.put("time", id.time().toString());
        parts.put("process", "%010x".formatted(id.processUnique()));
        parts.put("counter", id.counter());
        return parts;
    }
}
