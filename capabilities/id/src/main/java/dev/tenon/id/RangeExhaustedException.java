package dev.tenon.id;

import dev.tenon.TenonException;

/** A sequence has reached its max: no number is left. Define a new name, or a greater max. */
public final class RangeExhaustedException extends TenonException {
    public RangeExhaustedException(String message) {
        super(message);
    }
}
