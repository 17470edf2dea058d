package dev.tenon.examples.recipes;

import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;

/** {@code SETNX}, and then {@code EXPIRE}: two commands, between which the process may die. */
@SuppressWarnings("deprecation") // SETNX, since SET can do it
final class SetNxExpireLock {
    private final RedisCommands<String, String> redis;
    private final Duration lease;

    SetNxExpireLock(RedisCommands<String, String> redis, Duration lease) {
        this.redis = redis;
        this.lease = lease;
    }

    // tag::setnx[]
    boolean tryLock(String key) {
        if (!redis.setnx(key, "locked")) {
            return false;
        }
        redis.expire(key, lease); // who dies before this line has locked for ever
        return true;
    }

    void unlock(String key) {
        redis.del(key);
    }
    // end::setnx[]
}
