package dev.tenon.server.ids;

import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import java.util.LinkedHashMap;
import java.util.Map;

/** What the number of an ID says about itself. */
final class IdText {
    private IdText() {}

    /** The parts of a number, as its definition reads it. */
    static Map<String, Object> parts(IdDefinition definition, long number) {
        if (definition instanceof IdDefinition.Snowflake snowflake) {
            try {
                return LayoutFormat.parts(snowflake.layout(), number);
            } catch (IllegalArgumentException e) {
                throw notOf(definition.kind(), String.valueOf(e.getMessage()));
            }
        }
        RangeDefinition range = definition instanceof IdDefinition.Segment segment
                ? segment.range()
                : ((IdDefinition.Sequence) definition).range();
        if (number < range.start() || number > range.max() || (number - range.start()) % range.step() != 0) {
            throw notOf(
                    definition.kind(),
                    number + " is not one of its numbers (" + range.start() + ", " + (range.start() + range.step())
                            + ", … up to " + range.max() + ")");
        }
        Map<String, Object> parts = new LinkedHashMap<>();
        parts.put("number", number);
        parts.put("position", (number - range.start()) / range.step());
        return parts;
    }

    static ProblemException notOf(String name, String why) {
        return new ProblemException(ProblemType.BAD_ID, "Not an ID of " + name + ": " + why + ".");
    }
}
