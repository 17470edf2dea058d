package dev.tenon.tx;

import java.util.List;

/**
 * Some of the transactions of a listing. Immutable.
 *
 * @param transactions the newest first
 * @param more whether there are others after the last
 */
public record TransactionPage(List<TransactionRecord> transactions, boolean more) {
    public TransactionPage {
        transactions = List.copyOf(transactions);
        if (more && transactions.isEmpty()) {
            throw new IllegalArgumentException("A page that others follow has a last transaction");
        }
    }

    /**
     * The page of those that were found.
     *
     * @param found the newest first; one more than {@code limit} if there are others
     */
    public static TransactionPage of(List<TransactionRecord> found, int limit) {
        boolean more = found.size() > limit;
        return new TransactionPage(more ? found.subList(0, limit) : found, more);
    }

    /** Where the next page begins, for {@link Transactions#list}; empty if there is none. */
    public String next() {
        return more
                ? TransactionPosition.of(transactions.get(transactions.size() - 1))
                        .text()
                : "";
    }
}
