package dev.tenon.spring;

import dev.tenon.TenonException;
import java.util.Map;

/** Asks the store whether it is there: one round trip. Thread-safe. */
final class StoreProbe {
    private final TenonBackend backend;
    private final HeldLocks held;

    StoreProbe(TenonBackend backend, HeldLocks held) {
        this.backend = backend;
        this.held = held;
    }

    /** What is known of it; throws what the store throws. */
    Map<String, Object> ask() {
        backend.locks().inspect(Connection.PROBE);
        return Map.of("backend", backend.kind(), "locksHeld", held.count());
    }

    /** As a health that can't be well may show it. */
    String reason(TenonException failure) {
        return backend.kind() + ": " + Connection.withoutSecrets(failure.getMessage());
    }
}
