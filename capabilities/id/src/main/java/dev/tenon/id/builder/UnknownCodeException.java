package dev.tenon.id.builder;

import dev.tenon.TenonException;

/** There is no row for a code, or no table of codes; the message says how to make it. */
public final class UnknownCodeException extends TenonException {
    public UnknownCodeException(String message) {
        super(message);
    }

    public UnknownCodeException(String message, Throwable cause) {
        super(message, cause);
    }
}
