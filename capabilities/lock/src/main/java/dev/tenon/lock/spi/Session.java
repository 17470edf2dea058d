package dev.tenon.lock.spi;

import java.time.Duration;

/**
 * An open session.
 *
 * @param id as given in its {@link SessionSpec}
 * @param ttl as given in its {@link SessionSpec}
 */
public record Session(String id, Duration ttl) {}
