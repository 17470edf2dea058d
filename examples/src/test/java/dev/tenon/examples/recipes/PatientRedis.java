package dev.tenon.examples.recipes;

import dev.tenon.redis.RedisBackend;
import dev.tenon.redis.RedisOptions;
import java.time.Duration;

/**
 * Connects for tests that do not ask how soon it gives up: a busy machine must not be taken for a Redis that is down.
 */
final class PatientRedis {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private PatientRedis() {}

    static RedisBackend connect(String uri) {
        return RedisBackend.connect(RedisOptions.of(uri).withCommandTimeout(PATIENCE));
    }
}
