package dev.tenon.id.builder;

import dev.tenon.TenonException;

/** The row of a code says something that can't be followed, such as a step of 0; nothing was issued from it. */
public final class MisconfiguredCodeException extends TenonException {
    public MisconfiguredCodeException(String message) {
        super(message);
    }
}
