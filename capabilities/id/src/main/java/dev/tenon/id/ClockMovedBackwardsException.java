package dev.tenon.id;

import dev.tenon.TenonException;
import org.jspecify.annotations.Nullable;

/**
 * The wall clock went back further than may be waited for, and no spare worker ID is free. Nothing was issued; mend
 * the clock.
 */
public final class ClockMovedBackwardsException extends TenonException {
    public ClockMovedBackwardsException(String message) {
        super(message);
    }

    public ClockMovedBackwardsException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
