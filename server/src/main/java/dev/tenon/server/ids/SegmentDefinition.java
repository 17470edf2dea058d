package dev.tenon.server.ids;

import dev.tenon.id.spi.RangeDefinition;
import java.util.Map;

/**
 * Numbers from segments that the server takes in advance.
 *
 * @param range the numbers
 * @param step numbers in a segment
 * @param shuffled whether those of a segment are issued in an unguessable order
 */
record SegmentDefinition(RangeDefinition range, int step, boolean shuffled, Label label) implements RangeKind {
    static final int STEP = 1000;
    static final int STEP_MAX = 10_000_000;

    static SegmentDefinition read(DefinitionFields fields, boolean shuffled) {
        int step = fields.integer("step", STEP, 1, STEP_MAX);
        RangeDefinition range = new RangeDefinition(
                fields.number("start").orElse(1L), 1, fields.number("max").orElse(Long.MAX_VALUE));
        return new SegmentDefinition(range, step, shuffled, Label.ofNumbers(fields));
    }

    @Override
    public String kind() {
        return shuffled ? "shuffled" : "segment";
    }

    @Override
    public void write(Map<String, Object> fields) {
        fields.put("start", range.start());
        fields.put("step", step);
        if (range.max() != Long.MAX_VALUE) {
            fields.put("max", range.max());
        }
    }

    @Override
    public NumberIssuer issuer(String name, IdResources resources) {
        IdRequest.Order own = shuffled ? IdRequest.Order.SHUFFLED : IdRequest.Order.ASCENDING;
        return new SegmentIssuer(defined(name, resources), name, step, own);
    }
}
