package dev.tenon.server.ids;

import dev.tenon.id.spi.RangeDefinition;
import java.util.Map;

/** Strictly increasing numbers without a gap; each call goes to the store. */
record SequenceDefinition(RangeDefinition range, Label label) implements RangeKind {
    static SequenceDefinition read(DefinitionFields fields) {
        RangeDefinition range = new RangeDefinition(
                fields.number("start").orElse(1L),
                fields.number("increment").orElse(1L),
                fields.number("max").orElse(Long.MAX_VALUE));
        return new SequenceDefinition(range, Label.ofNumbers(fields));
    }

    @Override
    public String kind() {
        return "sequence";
    }

    @Override
    public void write(Map<String, Object> fields) {
        fields.put("start", range.start());
        fields.put("increment", range.step());
        if (range.max() != Long.MAX_VALUE) {
            fields.put("max", range.max());
        }
    }

    @Override
    public NumberIssuer issuer(String name, IdResources resources) {
        return new SequenceIssuer(defined(name, resources), name);
    }
}
