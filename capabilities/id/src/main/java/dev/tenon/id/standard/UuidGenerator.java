package dev.tenon.id.standard;

import java.util.UUID;

/**
 * Gives out UUIDs. Each implementation states its scope of uniqueness, its order, its rate limit, and what happens when
 * a clock misbehaves. Implementations are thread-safe.
 */
public interface UuidGenerator {
    /** The next UUID. */
    UUID nextUuid();
}
