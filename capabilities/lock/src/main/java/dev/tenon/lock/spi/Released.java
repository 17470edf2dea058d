package dev.tenon.lock.spi;

/** The answer to a {@link Release}. */
public enum Released {
    /** The lock is free. */
    FREED,
    /** The lock went to the head of its queue. */
    HANDED_OVER,
    /** It was not held under that token: released before, expired, evicted, or never granted. */
    NOT_HELD
}
