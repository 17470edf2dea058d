package dev.tenon.tx;

import java.time.Instant;
import java.util.Objects;

/**
 * A line of a transaction's history: what an operator did, or what keeps it from going on. The happy path writes none.
 * Immutable.
 *
 * @param at when, by the store's clock
 * @param what such as {@code "suspended"} or {@code "retried"}
 * @param by the process or the operator that did it
 * @param detail the reason
 */
public record TransactionEvent(Instant at, String what, String by, String detail) {
    public TransactionEvent {
        Objects.requireNonNull(at, "at");
        Objects.requireNonNull(what, "what");
        Objects.requireNonNull(by, "by");
        Objects.requireNonNull(detail, "detail");
    }
}
