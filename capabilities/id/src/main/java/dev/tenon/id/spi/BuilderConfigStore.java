package dev.tenon.id.spi;

import java.util.List;

/**
 * The table of the ID-builder service, {@code t_id_builder_config}: one row a code, which says where the next segment
 * begins ({@code current_threshold}) and how long it is ({@code step}). The owner of the table sets up the rows; they
 * may change at any time, and other programs may take segments from them by the service's own algorithm.
 *
 * <p>Every implementation promises, and {@code BuilderConfigStoreContract} checks: no number of a code is in two
 * segments; the segments of a code ascend in the order in which they were taken, as long as its threshold is not set
 * back; the row is moved on durably before its segment is returned, never inside a transaction of the caller.
 *
 * <p>Calls block. They fail with {@link dev.tenon.BackendUnavailableException} when nothing happened, and with {@link
 * dev.tenon.OutcomeUnknownException} when a reply was lost: a segment may then be wasted, and asking again is safe. A
 * code that has no row is an {@link dev.tenon.id.builder.UnknownCodeException}, a row that makes no sense a {@link
 * dev.tenon.id.builder.MisconfiguredCodeException}; both change nothing. Implementations are thread-safe.
 */
public interface BuilderConfigStore {
    /**
     * What the rows of all codes say, by code, without those that make no sense; none if there is no table. Those that
     * are listed here have their first segment fetched at the start; a store that lists none is asked at the first call
     * of a code.
     */
    default List<BuilderConfig> configs() {
        return List.of();
    }

    /** What the row of a code says. */
    BuilderConfig config(int code);

    /**
     * Takes the next segment of a code.
     *
     * @throws dev.tenon.id.RangeExhaustedException if the next one would end above the greatest {@code long}
     */
    BuilderSegment take(int code);

    /**
     * Makes sure that the next segment of a code begins above {@code floor}; it never goes back. This repairs a table
     * that was rolled back.
     *
     * @param floor a negative one changes nothing
     * @return where the next segment begins
     * @throws dev.tenon.id.RangeExhaustedException if there is nothing above {@code floor}; nothing is changed then
     */
    long raiseTo(int code, long floor);
}
