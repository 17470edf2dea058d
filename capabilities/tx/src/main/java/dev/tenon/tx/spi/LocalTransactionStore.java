package dev.tenon.tx.spi;

import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionRecord;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A log in the database that the business has its tables in, so that beginning or deciding a transaction can be part of
 * a local one: it happens if that is committed, and not otherwise. {@code LocalTransactionStoreContract} checks it.
 *
 * <p>Each method here runs in the caller's transaction on {@code connection}, which must not be in autocommit mode, and
 * neither commits nor rolls it back. An error leaves the transaction to be rolled back by the caller.
 */
public interface LocalTransactionStore extends TransactionStore {
    /** As {@link #begin(TransactionDraft, Optional, Duration)}, in the caller's transaction. */
    Begun begin(Connection connection, TransactionDraft draft, Optional<String> owner, Duration lease);

    /**
     * As {@link #update(TransactionRecord, TransactionRecord, List)}, in the caller's transaction. Empty: the caller
     * should roll back.
     */
    Optional<TransactionRecord> update(
            Connection connection, TransactionRecord before, TransactionRecord after, List<TransactionEvent> events);

    /** As {@link #find(TransactionId)}, in the caller's transaction. */
    Optional<TransactionRecord> find(Connection connection, TransactionId gid);
}
