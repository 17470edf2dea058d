package dev.tenon.server.ids;

import dev.tenon.id.spi.RangeDefinition;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/** A definition whose IDs are the numbers of a range in the store. */
interface RangeKind extends NumberDefinition, Ranged {
    /** They count up, and only a start says that they are there. */
    @Override
    default boolean passesDoubles() {
        return range().start() > DOUBLE_MAX;
    }

    @Override
    default Map<String, Object> parts(long number) {
        RangeDefinition range = range();
        if (number < range.start() || number > range.max() || (number - range.start()) % range.step() != 0) {
            throw new IllegalArgumentException(number + " is not one of its numbers (" + range.start() + ", "
                    + (range.start() + range.step()) + ", … up to " + range.max() + ")");
        }
        Map<String, Object> parts = new LinkedHashMap<>();
        parts.put("number", number);
        parts.put("position", (number - range.start()) / range.step());
        return parts;
    }

    @Override
    default Map<String, Object> outlook(String name, IdResources resources) {
        OptionalLong coming = coming(name, resources);
        long left = coming.isEmpty() || coming.getAsLong() > range().max()
                ? 0
                : (range().max() - coming.getAsLong()) / range().step() + 1;
        return Map.of("left", String.valueOf(left));
    }
}
