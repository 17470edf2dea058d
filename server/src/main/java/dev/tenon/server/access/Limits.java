package dev.tenon.server.access;

import java.time.Duration;

/**
 * How much of a server one client, and all of them, may have. Beyond each, a request is refused and nothing else is lost.
 *
 * @param rate requests a second of one key, or of one address where no key is asked for
 * @param connections at a time, in all
 * @param connectionsPerAddress at a time, of one address
 * @param sessions that were opened here and are not over, in all
 * @param sessionsPerKey the same, of one key
 * @param waiters requests that wait for a lock here, in all
 * @param waitersPerKey the same, of one key
 * @param headerBytes the first line and the headers of a request, each
 * @param bodyBytes the body of a request
 * @param patience for the rest of a request that has begun, and for a client to take its answer
 * @param idle for the next request on a connection, or the first
 */
public record Limits(
        int rate,
        int connections,
        int connectionsPerAddress,
        int sessions,
        int sessionsPerKey,
        int waiters,
        int waitersPerKey,
        int headerBytes,
        int bodyBytes,
        Duration patience,
        Duration idle) {
    /** What a server has if it is told nothing. */
    public static final Limits DEFAULT = new Limits(
            100_000,
            20_000,
            10_000,
            100_000,
            10_000,
            50_000,
            10_000,
            8 * 1024,
            64 * 1024,
            Duration.ofSeconds(30),
            Duration.ofSeconds(75));
}
