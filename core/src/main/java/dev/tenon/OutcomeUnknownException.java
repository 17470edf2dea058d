package dev.tenon;

import org.jspecify.annotations.Nullable;

/**
 * The store was asked and its reply was lost, so the call may or may not have had its effect. Repeat it with the same
 * request ID (or token): every call of Tenon's service provider interfaces can be repeated without a second effect.
 */
public final class OutcomeUnknownException extends TenonException {
    public OutcomeUnknownException(String message) {
        super(message);
    }

    public OutcomeUnknownException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
