package dev.tenon.redis;

import java.util.List;

/** The scripts that are the lock machine in Redis; see {@code settle.lua} for what they have in common. */
record RedisLockScripts(
        RedisScript acquire,
        RedisScript release,
        RedisScript renew,
        RedisScript cancel,
        RedisScript evict,
        RedisScript inspect) {

    /** @param clock resource with the clock: {@code clock}, but in tests */
    static RedisLockScripts onClock(String clock) {
        return new RedisLockScripts(
                RedisScript.of(clock, "settle", "acquire"),
                RedisScript.of(clock, "settle", "release"),
                RedisScript.of(clock, "settle", "renew"),
                RedisScript.of(clock, "settle", "cancel"),
                RedisScript.of(clock, "settle", "evict"),
                RedisScript.of(clock, "settle", "inspect"));
    }

    List<RedisScript> all() {
        return List.of(acquire, release, renew, cancel, evict, inspect);
    }
}
