package dev.tenon.id.builder;

import dev.tenon.id.SegmentPolicy;
import java.util.Objects;
import java.util.OptionalInt;

/**
 * How a {@link LocalIdBuilder} behaves. Immutable.
 *
 * @param machineIndex what stands between {@code biz_code} and number in a text; empty: nothing. Each instance has its
 *     own, all with the same number of digits: machine 1 with number 11 and machine 11 with number 1 have one text
 * @param policy when the next segment is fetched, and how long a call waits when none is at hand; sizes are the table's
 * @param fetchAtStart whether each code of the table has its first segment fetched when an instance is made, in the
 *     style that its row is meant for, and not when it is first asked for. A start then uses up a segment of each code
 */
public record IdBuilderOptions(OptionalInt machineIndex, SegmentPolicy policy, boolean fetchAtStart) {
    /** The system property with the machine index, as in {@code java -DidBuilder.index=1001}. */
    public static final String INDEX_PROPERTY = "idBuilder.index";

    /** No machine index, first segments at the start, the next one at 15 %, calls wait up to 5 seconds. */
    public static final IdBuilderOptions DEFAULT = new IdBuilderOptions(OptionalInt.empty(), SegmentPolicy.DEFAULT);

    /** Options with first segments at the start. */
    public IdBuilderOptions(OptionalInt machineIndex, SegmentPolicy policy) {
        this(machineIndex, policy, true);
    }

    public IdBuilderOptions {
        Objects.requireNonNull(policy, "policy");
        if (machineIndex.isPresent() && machineIndex.getAsInt() < 0) {
            throw new IllegalArgumentException("Machine index must be 0 or more: " + machineIndex.getAsInt());
        }
    }

    /**
     * {@link #DEFAULT} with the machine index of the system property {@value #INDEX_PROPERTY}, if that is set.
     *
     * @throws IllegalArgumentException if it is set to something else than a whole number, 0 or more
     */
    public static IdBuilderOptions fromSystemProperties() {
        String text = System.getProperty(INDEX_PROPERTY);
        if (text == null || text.isBlank()) {
            return DEFAULT;
        }
        try {
            return DEFAULT.withMachineIndex(Integer.parseInt(text.strip()));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "-D" + INDEX_PROPERTY + " must be a whole number, 0 or more: \"" + text + "\"", e);
        }
    }

    /** The same with a machine index. */
    public IdBuilderOptions withMachineIndex(int index) {
        return new IdBuilderOptions(OptionalInt.of(index), policy, fetchAtStart);
    }

    /** The same with another policy. */
    public IdBuilderOptions withPolicy(SegmentPolicy value) {
        return new IdBuilderOptions(machineIndex, value, fetchAtStart);
    }

    /** The same with first segments at the start, or at the first call of a code. */
    public IdBuilderOptions withFetchAtStart(boolean value) {
        return new IdBuilderOptions(machineIndex, policy, value);
    }
}
