package dev.tenon.examples.recipes;

import dev.tenon.TimeSource;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;

/**
 * {@code SET key owner NX PX milliseconds}, and a script that deletes the key only if it is the owner's: as far as a
 * lock of one Redis key goes. One owner each.
 */
final class OwnedRedisLock {
    private static final String RELEASE = read("release-if-owner.lua");

    private final RedisCommands<String, String> redis;
    private final Duration lease;
    private final String owner = UUID.randomUUID().toString();

    OwnedRedisLock(RedisCommands<String, String> redis, Duration lease) {
        this.redis = redis;
        this.lease = lease;
    }

    // tag::owned[]
    boolean tryLock(String key) {
        return "OK".equals(redis.set(key, owner, SetArgs.Builder.nx().px(lease)));
    }

    /** Within a time limit: a spin lock. */
    boolean tryLock(String key, Duration limit) throws InterruptedException {
        Pauses pauses = Pauses.backOff(Duration.ofMillis(10), Duration.ofMillis(160), Pauses.jitter());
        return new SpinLock(TimeSource.system(), pauses).tryLock(() -> tryLock(key), limit);
    }

    /** False: it was this owner's no more. */
    boolean unlock(String key) {
        Long deleted = redis.eval(RELEASE, ScriptOutputType.INTEGER, new String[] {key}, owner);
        return deleted == 1;
    }
    // end::owned[]

    private static String read(String file) {
        try (InputStream in = OwnedRedisLock.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("There is no " + file);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(file, e);
        }
    }
}
