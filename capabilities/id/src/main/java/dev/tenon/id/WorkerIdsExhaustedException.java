package dev.tenon.id;

import dev.tenon.TenonException;

/**
 * Every worker ID of a group is leased. The message names the holders; wait for a lease to end, or widen the layout.
 */
public final class WorkerIdsExhaustedException extends TenonException {
    public WorkerIdsExhaustedException(String message) {
        super(message);
    }
}
