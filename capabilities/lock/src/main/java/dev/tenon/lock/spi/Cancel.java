package dev.tenon.lock.spi;

import dev.tenon.Names;

/**
 * Gives up waiting.
 *
 * @param name of the lock
 * @param requestId of the acquire that was queued
 */
public record Cancel(String name, String requestId) {
    public Cancel {
        Names.requireValid("lock name", name);
        Names.requireValid("request ID", requestId);
    }
}
