package dev.tenon.redis;

import java.time.Duration;

/** A backend for tests that do not ask how soon it gives up: a busy machine makes it wait. */
final class PatientRedis {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private PatientRedis() {}

    static RedisBackend connect(String uri) {
        return RedisBackend.connect(RedisOptions.of(uri).withCommandTimeout(PATIENCE));
    }
}
