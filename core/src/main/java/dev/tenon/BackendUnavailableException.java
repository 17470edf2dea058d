package dev.tenon;

import org.jspecify.annotations.Nullable;

/** The store could not be asked. Nothing happened there: repeating the call is safe. */
public final class BackendUnavailableException extends TenonException {
    public BackendUnavailableException(String message) {
        super(message);
    }

    public BackendUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
