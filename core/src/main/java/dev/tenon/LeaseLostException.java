package dev.tenon;

import org.jspecify.annotations.Nullable;

/**
 * Something held under a lease (a lock, a worker ID) is no longer held, or can no longer be proven to be held. Stop
 * acting on it; acquire it anew.
 */
public final class LeaseLostException extends TenonException {
    public LeaseLostException(String message) {
        super(message);
    }

    public LeaseLostException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
