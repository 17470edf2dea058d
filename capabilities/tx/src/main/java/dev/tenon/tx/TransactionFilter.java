package dev.tenon.tx;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Which transactions to list. Immutable.
 *
 * @param state those in this state; empty: in any
 * @param kind those of this kind; empty: of any
 * @param stuck only those that an operator should look at: suspended, or reported as stuck
 * @param service those of this service; empty: of any
 * @param idPrefix those whose IDs begin with this
 * @param olderThan those that began at least so long ago; empty: at any time
 * @param youngerThan those that began at most so long ago; empty: at any time
 * @param error those with this in the last error of a branch, or in why they are suspended; the letters A to Z in any
 *     case, others as the store folds them; empty: whatever it is
 */
public record TransactionFilter(
        Optional<TransactionState> state,
        Optional<TransactionKind> kind,
        boolean stuck,
        Optional<String> service,
        String idPrefix,
        Optional<Duration> olderThan,
        Optional<Duration> youngerThan,
        String error) {
    /** Of {@link #error}, in characters. */
    public static final int ERROR_LENGTH_MAX = 200;

    /** Of {@link #olderThan} and {@link #youngerThan}. */
    public static final Duration AGE_MAX = Duration.ofDays(36_500);

    /** All of them. */
    public static final TransactionFilter ALL = new TransactionFilter(
            Optional.empty(), Optional.empty(), false, Optional.empty(), "", Optional.empty(), Optional.empty(), "");

    /**
     * @throws IllegalArgumentException if an age is negative or longer than {@link #AGE_MAX}, {@code error} longer than
     *     {@link #ERROR_LENGTH_MAX} characters, or U+0000 in a text
     */
    public TransactionFilter {
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(service, "service");
        Objects.requireNonNull(idPrefix, "idPrefix");
        requireAge("olderThan", olderThan);
        requireAge("youngerThan", youngerThan);
        if ((service.orElse("") + idPrefix + error).indexOf('\0') >= 0) {
            throw new IllegalArgumentException("A filter has no character U+0000");
        }
        if (error.length() > ERROR_LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "A part of an error has at most " + ERROR_LENGTH_MAX + " characters, not " + error.length());
        }
    }

    private static void requireAge(String what, Optional<Duration> age) {
        if (age.filter(a -> a.isNegative() || a.compareTo(AGE_MAX) > 0).isPresent()) {
            throw new IllegalArgumentException(what + " is zero to 36500 days, not " + age.get());
        }
    }

    /** Those of these in that state. */
    public TransactionFilter in(TransactionState one) {
        return new TransactionFilter(Optional.of(one), kind, stuck, service, idPrefix, olderThan, youngerThan, error);
    }

    /** Those of these of that kind. */
    public TransactionFilter ofKind(TransactionKind one) {
        return new TransactionFilter(state, Optional.of(one), stuck, service, idPrefix, olderThan, youngerThan, error);
    }

    /** Those of these that an operator should look at. */
    public TransactionFilter thatAreStuck() {
        return new TransactionFilter(state, kind, true, service, idPrefix, olderThan, youngerThan, error);
    }

    /** Those of these of that service. */
    public TransactionFilter ofService(String name) {
        return new TransactionFilter(state, kind, stuck, Optional.of(name), idPrefix, olderThan, youngerThan, error);
    }

    /** Those of these whose IDs begin so. */
    public TransactionFilter withIdPrefix(String prefix) {
        return new TransactionFilter(state, kind, stuck, service, prefix, olderThan, youngerThan, error);
    }

    /** Those of these that began at least so long ago. */
    public TransactionFilter olderThan(Duration age) {
        return new TransactionFilter(state, kind, stuck, service, idPrefix, Optional.of(age), youngerThan, error);
    }

    /** Those of these that began at most so long ago. */
    public TransactionFilter youngerThan(Duration age) {
        return new TransactionFilter(state, kind, stuck, service, idPrefix, olderThan, Optional.of(age), error);
    }

    /** Those of these with that in an error. */
    public TransactionFilter withError(String part) {
        return new TransactionFilter(state, kind, stuck, service, idPrefix, olderThan, youngerThan, part);
    }

    /**
     * Whether a transaction is one of them.
     *
     * @param now by the store's clock
     */
    public boolean matches(TransactionRecord tx, Instant now) {
        return state.map(s -> s == tx.state()).orElse(true)
                && kind.map(k -> k == tx.kind()).orElse(true)
                && (!stuck || tx.needsAttention())
                && service.map(tx.service()::equals).orElse(true)
                && tx.gid().text().startsWith(idPrefix)
                && olderThan.map(age -> !tx.createdAt().plus(age).isAfter(now)).orElse(true)
                && youngerThan
                        .map(age -> !tx.createdAt().plus(age).isBefore(now))
                        .orElse(true)
                && (error.isEmpty() || errors(tx).anyMatch(text -> fold(text).contains(fold(error))));
    }

    private static Stream<String> errors(TransactionRecord tx) {
        return Stream.concat(tx.suspended().stream(), tx.branches().stream().flatMap(b -> b.lastError().stream()));
    }

    private static String fold(String text) {
        return text.toLowerCase(Locale.ROOT);
    }
}
