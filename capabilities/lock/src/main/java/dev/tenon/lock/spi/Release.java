package dev.tenon.lock.spi;

import dev.tenon.Names;

/**
 * Gives a lock back.
 *
 * @param name of the lock
 * @param token under which it is held
 */
public record Release(String name, long token) {
    public Release {
        Names.requireValid("lock name", name);
    }
}
