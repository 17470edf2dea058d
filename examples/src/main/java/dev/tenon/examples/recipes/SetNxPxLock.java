package dev.tenon.examples.recipes;

import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;

/**
 * {@code SET key value NX PX milliseconds}: one command; but the value is everybody's, and so is the lock to delete.
 */
final class SetNxPxLock {
    private final RedisCommands<String, String> redis;
    private final Duration lease;

    SetNxPxLock(RedisCommands<String, String> redis, Duration lease) {
        this.redis = redis;
        this.lease = lease;
    }

    // tag::fixed[]
    boolean tryLock(String key) {
        return "OK".equals(redis.set(key, "locked", SetArgs.Builder.nx().px(lease)));
    }

    void unlock(String key) {
        redis.del(key); // whosoever it is by now
    }
    // end::fixed[]
}
