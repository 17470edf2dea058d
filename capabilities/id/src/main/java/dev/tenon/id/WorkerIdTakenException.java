package dev.tenon.id;

import dev.tenon.TenonException;
import dev.tenon.id.spi.WorkerSlotView;

/**
 * The one worker ID that was wanted is leased to another process. The message names the holder; wait until its lease
 * ends, or take another worker ID. A process that died holds its worker ID until its lease ends.
 */
public final class WorkerIdTakenException extends TenonException {
    public WorkerIdTakenException(String message) {
        super(message);
    }

    /** With a message that names the holder, since when it holds, and for how long. */
    public WorkerIdTakenException(String group, WorkerSlotView holder) {
        this("The wanted worker ID of group \"" + group + "\" is leased: " + WorkerCensus.line(holder)
                + "; wait for its lease to end, or choose another");
    }
}
