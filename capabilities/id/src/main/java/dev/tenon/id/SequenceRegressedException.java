package dev.tenon.id;

import dev.tenon.TenonException;

/**
 * A store gave a range below one that it gave before: it was rolled back or failed over to a stale copy. Nothing was
 * issued from it; raise the sequence above everything that was issued ({@link dev.tenon.id.spi.RangeStore#raiseTo})
 * before going on.
 */
public final class SequenceRegressedException extends TenonException {
    public SequenceRegressedException(String message) {
        super(message);
    }
}
