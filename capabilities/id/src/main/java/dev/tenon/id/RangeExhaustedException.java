package dev.tenon.id;

import dev.tenon.TenonException;

/** A sequence has reached its max: no number is left. Go on under a new name, with a greater max. */
public final class RangeExhaustedException extends TenonException {
    public RangeExhaustedException(String message) {
        super(message);
    }
}
