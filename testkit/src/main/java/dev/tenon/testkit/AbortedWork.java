package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.at.AtResource;
import dev.tenon.tx.at.AtTransaction;
import dev.tenon.tx.at.AtTransactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.spi.TransactionStore;
import java.sql.Connection;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;

/** Runs work on connections with automatic undo, commits it, and aborts its transaction. One thread at a time. */
public final class AbortedWork implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Transactions transactions;
    private final AtTransactions at;

    private AbortedWork(TransactionStore log, AtResource database) {
        Map<String, AtResource> databases = Map.of("db", database);
        this.transactions = TransactionEngine.over(
                log,
                AtTransactions.participants(databases),
                TransactionOptions.DEFAULT.withService("aborted-" + UUID.randomUUID()));
        this.at = AtTransactions.over(transactions, databases);
    }

    /** Over a log and a database. */
    public static AbortedWork over(TransactionStore log, AtResource database) {
        return new AbortedWork(log, database);
    }

    /** What a branch does; committing it is not a part. */
    @FunctionalInterface
    public interface Work {
        /** Does it. */
        void on(Connection connection) throws Exception;
    }

    /**
     * Does the work, commits it, and aborts the whole.
     *
     * @throws AssertionError if it was not undone within a minute
     */
    public void undone(Work work) throws Exception {
        AtTransaction tx = at.begin(PATIENCE);
        try (tx) {
            Connection connection = tx.connection("db");
            work.on(connection);
            if (!connection.isClosed()) {
                connection.commit();
            }
        }
        TransactionRecord ended = transactions.await(tx.gid(), PATIENCE);
        assertThat(ended.state()).as(ended.suspended().toString()).isEqualTo(TransactionState.ABORTED);
    }

    @Override
    public void close() {
        transactions.close();
    }
}
