package dev.tenon.lock.spi;

/**
 * The wish that a holder let go.
 *
 * @param name of the lock
 * @param sessionId of the holder
 * @param token under which it holds
 * @param by who asks
 */
public record Revocation(String name, String sessionId, long token, String by) {}
