package dev.tenon.lock;

import dev.tenon.TenonException;

/** The time to wait for a lock is over. Nothing is held; the message names the holder, where it is known. */
public final class LockTimeoutException extends TenonException {
    public LockTimeoutException(String message) {
        super(message);
    }
}
