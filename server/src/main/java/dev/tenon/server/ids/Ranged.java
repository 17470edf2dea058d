package dev.tenon.server.ids;

import dev.tenon.id.RangeExhaustedException;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.id.spi.RangeStore;
import java.util.OptionalLong;

/** A definition whose numbers come from a range in the store, whatever becomes of them. */
interface Ranged extends GeneratorDefinition {
    /** The numbers. */
    RangeDefinition range();

    /** Whether the numbers begin anew in each period. */
    default boolean resets() {
        return false;
    }

    /**
     * The store, with the range in it: whoever stored the definition of the IDs may have died before it defined that.
     */
    default RangeStore defined(String name, IdResources resources) {
        RangeStore ranges = resources.ranges();
        ranges.define(name, range());
        return ranges;
    }

    /**
     * The next number of the store, without taking it; empty if none is left. A range that is not there is not made, as
     * that would tie the name to this definition before it is used.
     */
    default OptionalLong coming(String name, IdResources resources) {
        if (resources.ranges().definition(name).isEmpty()) {
            return OptionalLong.of(range().start());
        }
        try {
            return OptionalLong.of(defined(name, resources).raiseTo(name, -1)); // nothing is below 0: this only looks
        } catch (RangeExhaustedException e) {
            return OptionalLong.empty();
        }
    }

    /** Whether the next number of the store is above what was seen of it, or none is left. */
    default boolean isAbove(String name, IdResources resources, OptionalLong seen) {
        OptionalLong coming = coming(name, resources);
        return coming.isEmpty() || coming.getAsLong() > seen.orElse(-1);
    }
}
