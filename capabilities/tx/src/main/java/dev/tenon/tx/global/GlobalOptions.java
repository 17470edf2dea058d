package dev.tenon.tx.global;

import dev.tenon.tx.tcc.Tcc;
import java.time.Duration;
import java.util.Objects;

/**
 * How a scope of {@link GlobalTransactions} begins. Immutable.
 *
 * @param name what it does, for the log of transactions and for messages; may be empty
 * @param propagation what becomes of a transaction that is there
 * @param timeout until when the transaction has to be committed, 1 ms to 365 days; after it nothing is. Counts for the
 *     scope that begins one
 * @param readOnly begins no transaction, and refuses branches; inside another one, refuses them for this scope
 */
public record GlobalOptions(String name, GlobalPropagation propagation, Duration timeout, boolean readOnly) {
    private static final Duration TIMEOUT_MAX = Duration.ofDays(365);

    /** {@link GlobalPropagation#REQUIRED}, with a minute, for writing. */
    public static final GlobalOptions DEFAULT = new GlobalOptions("", GlobalPropagation.REQUIRED, Tcc.DEADLINE, false);

    /**
     * @throws IllegalArgumentException if the timeout is out of its bounds
     */
    public GlobalOptions {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(propagation, "propagation");
        if (timeout.compareTo(Duration.ofMillis(1)) < 0 || timeout.compareTo(TIMEOUT_MAX) > 0) {
            throw new IllegalArgumentException(
                    "The timeout of a global transaction is 1 ms to 365 days, not " + timeout);
        }
    }

    /** This, with another propagation. */
    public GlobalOptions withPropagation(GlobalPropagation other) {
        return new GlobalOptions(name, other, timeout, readOnly);
    }

    /** This, with another timeout. */
    public GlobalOptions withTimeout(Duration other) {
        return new GlobalOptions(name, propagation, other, readOnly);
    }

    /** This, for reading. */
    public GlobalOptions reading() {
        return new GlobalOptions(name, propagation, timeout, true);
    }
}
