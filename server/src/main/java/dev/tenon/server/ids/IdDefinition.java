package dev.tenon.server.ids;

import dev.tenon.id.IdLayout;
import dev.tenon.id.spi.RangeDefinition;

/** How the IDs of one name are made. Two definitions are the same if they are equal. */
public sealed interface IdDefinition {
    /** What stands in the {@code kind} field. */
    String kind();

    /** Prefix, code and machine index. */
    Label label();

    /** Time, worker ID and sequence in one {@code long}, strictly increasing. */
    record Snowflake(IdLayout layout, Label label) implements IdDefinition {
        @Override
        public String kind() {
            return "snowflake";
        }
    }

    /**
     * Numbers from segments that the server takes in advance.
     *
     * @param range the numbers
     * @param step numbers in a segment
     */
    record Segment(RangeDefinition range, int step, Label label) implements IdDefinition {
        @Override
        public String kind() {
            return "segment";
        }
    }

    /** Strictly increasing numbers without a gap; each call goes to the store. */
    record Sequence(RangeDefinition range, Label label) implements IdDefinition {
        @Override
        public String kind() {
            return "sequence";
        }
    }
}
