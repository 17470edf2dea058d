package dev.tenon.lock.spi;

import dev.tenon.Names;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Extends a lease to {@code lease} from now, by the store's clock; it may thereby also become shorter. The first
 * renewal after a {@link Grant} claims the lock for good.
 *
 * @param name of the lock
 * @param token under which it is held
 * @param lease the new lease; empty: as long as the session
 */
public record Renew(String name, long token, Optional<Duration> lease) {
    public Renew {
        Names.requireValid("lock name", name);
        Objects.requireNonNull(lease, "lease").ifPresent(Acquire::requireLease);
    }
}
