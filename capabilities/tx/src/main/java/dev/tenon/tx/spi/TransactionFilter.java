package dev.tenon.tx.spi;

import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionState;
import java.util.Objects;
import java.util.Optional;

/**
 * Which transactions to list. Immutable.
 *
 * @param state those in this state; empty: in any
 * @param kind those of this kind; empty: of any
 * @param suspended only those that wait for an operator
 */
public record TransactionFilter(Optional<TransactionState> state, Optional<TransactionKind> kind, boolean suspended) {
    /** All of them. */
    public static final TransactionFilter ALL = new TransactionFilter(Optional.empty(), Optional.empty(), false);

    public TransactionFilter {
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(kind, "kind");
    }

    /** Whether a transaction is one of them. */
    public boolean matches(TransactionRecord tx) {
        return state.map(s -> s == tx.state()).orElse(true)
                && kind.map(k -> k == tx.kind()).orElse(true)
                && (!suspended || tx.suspended().isPresent());
    }
}
