package dev.tenon.tx.spi;

import dev.tenon.tx.TransactionRecord;

/** What became of a wish to begin a transaction. */
public sealed interface Begun {
    /** The transaction as it is now. */
    TransactionRecord transaction();

    /** It began with this call. */
    record Created(TransactionRecord transaction) implements Begun {}

    /** It began with an earlier call of the same content. */
    record Known(TransactionRecord transaction) implements Begun {}

    /** There is another transaction of that ID. */
    record Conflicting(TransactionRecord transaction) implements Begun {}
}
