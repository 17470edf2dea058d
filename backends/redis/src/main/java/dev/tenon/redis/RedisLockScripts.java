package dev.tenon.redis;

import java.util.List;

/** The scripts that are the lock machine in Redis; see {@code settle.lua} for what they have in common. */
record RedisLockScripts(
        RedisScript acquire,
        RedisScript acquireAll,
        RedisScript release,
        RedisScript renew,
        RedisScript cancel,
        RedisScript evict,
        RedisScript revoke,
        RedisScript inspect) {

    /** @param clock resource with the clock: {@code clock}, but in tests */
    static RedisLockScripts onClock(String clock) {
        return new RedisLockScripts(
                RedisScript.of(clock, "look", "acquire-plain", "settle", "take", "acquire"),
                RedisScript.of(clock, "look", "settle", "take", "acquire-all"),
                RedisScript.of(clock, "look", "release-plain", "settle", "release"),
                RedisScript.of(clock, "look", "settle", "renew"),
                RedisScript.of(clock, "look", "settle", "cancel"),
                RedisScript.of(clock, "look", "settle", "evict"),
                RedisScript.of(clock, "look", "settle", "revoke"),
                RedisScript.of(clock, "look", "settle", "inspect"));
    }

    List<RedisScript> all() {
        return List.of(acquire, acquireAll, release, renew, cancel, evict, revoke, inspect);
    }
}
