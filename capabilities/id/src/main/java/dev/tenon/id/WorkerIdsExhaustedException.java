package dev.tenon.id;

import dev.tenon.TenonException;
import dev.tenon.id.spi.WorkerSlotView;
import java.util.List;

/**
 * Every worker ID of a group is leased. The message names the holders; wait for a lease to end, or widen the layout.
 */
public final class WorkerIdsExhaustedException extends TenonException {
    public WorkerIdsExhaustedException(String message) {
        super(message);
    }

    /**
     * With a message that names the first ten holders.
     *
     * @param holders all of them, or at least the first ten
     */
    public WorkerIdsExhaustedException(String group, int capacity, List<WorkerSlotView> holders) {
        this("Every worker ID of group \"" + group + "\" is leased (" + capacity + "): "
                + WorkerCensus.someOf(holders, capacity));
    }
}
