package dev.tenon.tx.spi;

import java.time.Duration;
import java.util.Objects;

/**
 * A wish to drive transactions that are due. Immutable.
 *
 * @param service whose transactions
 * @param owner the process that will drive them: unique among all processes, 1 to 200 characters
 * @param lease for how long no other process may claim them, 1 ms or more
 * @param limit how many at most, 1 to 1000
 */
public record Claim(String service, String owner, Duration lease, int limit) {
    public Claim {
        Objects.requireNonNull(service, "service");
        Objects.requireNonNull(owner, "owner");
        if (lease.compareTo(Duration.ofMillis(1)) < 0) {
            throw new IllegalArgumentException("A claim lasts 1 ms or more, not " + lease);
        }
        if (limit < 1 || limit > 1000) {
            throw new IllegalArgumentException("1 to 1000 transactions are claimed at a time, not " + limit);
        }
    }
}
