package dev.tenon.tx.spi;

import java.util.List;

/**
 * Some of the transactions of a listing. Immutable.
 *
 * @param transactions in ascending order of their IDs
 * @param more whether there are others after the last
 */
public record TransactionPage(List<TransactionRecord> transactions, boolean more) {
    public TransactionPage {
        transactions = List.copyOf(transactions);
    }
}
