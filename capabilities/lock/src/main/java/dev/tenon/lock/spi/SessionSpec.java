package dev.tenon.lock.spi;

import dev.tenon.Names;
import java.time.Duration;
import java.util.Objects;

/**
 * The wish for a session.
 *
 * @param id chosen by the client and unique over all time, such as 128 random bits in hexadecimal
 * @param owner who this is, for people who look: application, host, process
 * @param ttl how long the session outlives its last sign of life, where the store ends sessions
 */
public record SessionSpec(String id, String owner, Duration ttl) {
    /** The longest TTL. */
    public static final Duration TTL_MAX = Duration.ofDays(1);

    public SessionSpec {
        Names.requireValid("session ID", id);
        Names.requireValid("session owner", owner);
        Objects.requireNonNull(ttl, "ttl");
        if (ttl.isZero() || ttl.isNegative() || ttl.compareTo(TTL_MAX) > 0) {
            throw new IllegalArgumentException(
                    "Session TTL must be more than zero and at most " + TTL_MAX + ": " + ttl);
        }
    }
}
