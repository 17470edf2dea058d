package dev.tenon.spring;

import dev.tenon.tx.Message;
import dev.tenon.tx.message.Outbox;
import java.util.Objects;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Sends messages if, and only if, the transaction of the calling thread is committed: each is a row of the same
 * database, written on the transaction's own connection, and on its way right after the commit. A bean where there is a
 * {@link dev.tenon.tx.message.MessageSink} to send to. Thread-safe.
 */
public final class TransactionalOutbox {
    private final Outbox outbox;
    private final DataSource source;

    TransactionalOutbox(Outbox outbox, DataSource source) {
        this.outbox = outbox;
        this.source = source;
    }

    /**
     * Writes a message into the transaction of this thread: call it in a method with {@code @Transactional}.
     *
     * @throws IllegalStateException if there is no transaction, or it is none of the {@code DataSource} that has the
     *     outbox
     */
    public void send(Message message) {
        Objects.requireNonNull(message, "message");
        boolean open = TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.hasResource(source);
        if (!open) {
            throw new IllegalStateException(
                    "A message is part of a transaction of the DataSource that has the outbox, and this"
                            + " thread is in none: send it in a method with @Transactional, after the row that it is about is written");
        }
        outbox.enqueue(DataSourceUtils.getConnection(source), message);
        DispatchAfterCommit.of(outbox);
    }

    /** What is behind it: dead letters, replay, how far it is behind. */
    public Outbox outbox() {
        return outbox;
    }
}
