package dev.tenon.tx;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.Optional;

/**
 * A place in the order of a listing: the newest first, and of those that began in the same microsecond the greater ID.
 * Immutable.
 *
 * @param createdAt when the transaction that stands there began
 * @param gid its ID
 */
public record TransactionPosition(Instant createdAt, String gid) {
    /** The order of a listing. */
    public static final Comparator<TransactionRecord> NEWEST_FIRST = Comparator.comparing(
                    (TransactionRecord tx) -> tx.createdAt().truncatedTo(ChronoUnit.MICROS))
            .thenComparing(tx -> tx.gid().text())
            .reversed();

    /** Where a transaction stands. */
    public static TransactionPosition of(TransactionRecord tx) {
        return new TransactionPosition(
                tx.createdAt().truncatedTo(ChronoUnit.MICROS), tx.gid().text());
    }

    /** As a word of one line. */
    public String text() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, createdAt) + "/" + gid;
    }

    /**
     * The place of a {@link #text}.
     *
     * @return empty for the empty text: before the first
     * @throws IllegalArgumentException if it is none
     */
    public static Optional<TransactionPosition> parse(String text) {
        if (text.isEmpty()) {
            return Optional.empty();
        }
        int slash = text.indexOf('/');
        try {
            Instant at = Instant.EPOCH.plus(Long.parseLong(text.substring(0, Math.max(0, slash))), ChronoUnit.MICROS);
            return Optional.of(new TransactionPosition(at, new TransactionId(text.substring(slash + 1)).text()));
        } catch (IllegalArgumentException | DateTimeException | ArithmeticException e) {
            throw new IllegalArgumentException(
                    "\"" + text + "\" is not a place in a listing: pass the \"next\" of the page before", e);
        }
    }

    /** Whether a transaction comes after this in the listing. */
    public boolean isBefore(TransactionRecord tx) {
        int byTime = tx.createdAt().truncatedTo(ChronoUnit.MICROS).compareTo(createdAt);
        return byTime < 0 || byTime == 0 && tx.gid().text().compareTo(gid) < 0;
    }
}
