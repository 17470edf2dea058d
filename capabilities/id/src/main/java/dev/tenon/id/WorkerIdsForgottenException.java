package dev.tenon.id;

import dev.tenon.TenonException;
import java.time.Duration;

/**
 * A store may have forgotten the leases of the worker IDs of a group: it was restarted, restored from an older copy,
 * emptied, it failed over, or is new. Running holders keep what they have and tell it at their next renewal; no other
 * process gets a worker ID before the longest lease of before is over. Thrown to a process that wants one meanwhile;
 * told to {@link WorkerId.Builder#whenForgotten} where a holder had to tell the store what it has.
 */
public final class WorkerIdsForgottenException extends TenonException {
    private final Duration retryAfter;

    /** @param retryAfter how long worker IDs are not given yet; not negative */
    public WorkerIdsForgottenException(String message, Duration retryAfter) {
        super(message);
        if (retryAfter.isNegative()) {
            throw new IllegalArgumentException("How long to wait must not be negative: " + retryAfter);
        }
        this.retryAfter = retryAfter;
    }

    /** With a message that says why and how long. */
    public static WorkerIdsForgottenException ofGroup(String group, Duration left) {
        return new WorkerIdsForgottenException(
                "The store may have forgotten the leases of the worker IDs of group \"" + group
                        + "\": it was restarted, restored, emptied, or is new. None is given within " + left
                        + ", when the last lease of before is over; running holders go on",
                left);
    }

    /** How long no worker ID is given yet; zero where it is told of a holder that goes on. */
    public Duration retryAfter() {
        return retryAfter;
    }
}
