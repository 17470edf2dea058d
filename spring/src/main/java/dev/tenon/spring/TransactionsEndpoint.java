package dev.tenon.spring;

import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.TransactionConflictException;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionPage;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionRecord.Trouble;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.UnknownTransactionException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * {@code /actuator/tenontransactions}: the log of transactions. Asks the database. Read only, unless its access is
 * widened.
 */
@Endpoint(id = "tenontransactions", defaultAccess = Access.READ_ONLY)
final class TransactionsEndpoint {
    private static final int LIMIT = 100;

    private final Transactions transactions;

    TransactionsEndpoint(Transactions transactions) {
        this.transactions = transactions;
    }

    /**
     * A part of the listing.
     *
     * @param next what {@code after} is for the next part; null if this is the last
     */
    record Page(List<Line> transactions, @Nullable String next) {}

    /**
     * A transaction.
     *
     * @param suspended why it waits for an operator; null if it does not
     * @param closed who has closed it as it is, and why; null if nobody has
     * @param failingSince when a call had to be made again for the first time; null if none waits for its next attempt
     * @param stuckAt when it was reported as stuck, though it goes on; null if it was not
     */
    record Line(
            String gid,
            String kind,
            String name,
            String service,
            String state,
            @Nullable String suspended,
            @Nullable String closed,
            @Nullable Instant failingSince,
            @Nullable Instant stuckAt,
            Instant createdAt) {
        static Line of(TransactionRecord tx) {
            boolean isClosed = tx.state() == TransactionState.CLOSED;
            return new Line(
                    tx.gid().text(),
                    lower(tx.kind()),
                    tx.name(),
                    tx.service(),
                    lower(tx.state()),
                    isClosed ? null : tx.suspended().orElse(null),
                    isClosed ? tx.suspended().orElse(null) : null,
                    tx.progress().trouble().map(Trouble::since).orElse(null),
                    tx.stuckAt().orElse(null),
                    tx.createdAt());
        }
    }

    /** A transaction with what it is made of; without what is given to its participants, which may be secret. */
    record Detail(Line transaction, List<Branch> branches, List<TransactionEvent> history) {}

    /**
     * A branch.
     *
     * @param error why the last call was not the last; null if it was
     */
    record Branch(
            String name,
            String state,
            int attempts,
            @Nullable String error) {
        static Branch of(BranchRecord branch) {
            return new Branch(
                    branch.name(),
                    lower(branch.state()),
                    branch.attempts(),
                    branch.lastError().orElse(null));
        }
    }

    /**
     * Lists 100 of them, the newest first.
     *
     * @param state in this one only, such as {@code committing}
     * @param kind of this one only, such as {@code saga}
     * @param stuck only those that wait for an operator or are reported as stuck
     * @param service of this one only, such as the application's own name
     * @param prefix what their IDs begin with
     * @param olderThan those that began at least so long ago, such as {@code 5m} or {@code PT5M}
     * @param youngerThan those that began at most so long ago
     * @param error in the last error of a branch, or in why it is suspended or closed
     * @param after the {@code next} of the page before
     */
    // Spring's own annotation, too, since Spring Boot 3 knows by it alone what may be left out.
    @SuppressWarnings("deprecation")
    @OverLimit("an operation of an endpoint has each part of its query as a parameter")
    @ReadOperation
    public Page list(
            @org.springframework.lang.Nullable @Nullable String state,
            @org.springframework.lang.Nullable @Nullable String kind,
            @org.springframework.lang.Nullable @Nullable Boolean stuck,
            @org.springframework.lang.Nullable @Nullable String service,
            @org.springframework.lang.Nullable @Nullable String prefix,
            @org.springframework.lang.Nullable @Nullable Duration olderThan,
            @org.springframework.lang.Nullable @Nullable Duration youngerThan,
            @org.springframework.lang.Nullable @Nullable String error,
            @org.springframework.lang.Nullable @Nullable String after) {
        try {
            TransactionFilter filter = new TransactionFilter(
                    Optional.ofNullable(state).map(TransactionsEndpoint::state),
                    Optional.ofNullable(kind).map(TransactionKind::of),
                    Boolean.TRUE.equals(stuck),
                    Optional.ofNullable(service),
                    Objects.requireNonNullElse(prefix, ""),
                    Optional.ofNullable(olderThan),
                    Optional.ofNullable(youngerThan),
                    Objects.requireNonNullElse(error, ""));
            TransactionPage page = transactions.list(filter, Objects.requireNonNullElse(after, ""), LIMIT);
            return new Page(page.transactions().stream().map(Line::of).toList(), page.more() ? page.next() : null);
        } catch (IllegalArgumentException e) {
            throw invalid(String.valueOf(e.getMessage()));
        }
    }

    /** One of them; null, which is a 404, if there is none. */
    @ReadOperation
    public @Nullable Detail find(@Selector String gid) {
        return transactions.find(id(gid)).map(this::detail).orElse(null);
    }

    /**
     * Does what an operator decides.
     *
     * @param action {@code retry}, {@code suspend}, {@code resume}, {@code abort} or {@code close}
     * @param by who it is, for the history
     * @param reason why, for the history; {@code close} needs one
     */
    @SuppressWarnings("deprecation")
    @WriteOperation
    public Detail act(
            @Selector String gid,
            String action,
            String by,
            @org.springframework.lang.Nullable @Nullable String reason) {
        TransactionId id = id(gid);
        String why = Objects.requireNonNullElse(reason, "");
        try {
            return detail(
                    switch (action) {
                        case "retry" -> transactions.retry(id, by);
                        case "suspend" -> transactions.suspend(id, by, why);
                        case "resume" -> transactions.resume(id, by);
                        case "abort" -> transactions.abort(id, by, why);
                        case "close" -> transactions.closeAsIs(id, by, why);
                        default ->
                            throw invalid(
                                    "The action is retry, suspend, resume, abort or close, not \"" + action + "\"");
                    });
        } catch (InvalidEndpointRequestException e) {
            throw e;
        } catch (UnknownTransactionException | TransactionConflictException | IllegalArgumentException e) {
            throw invalid(String.valueOf(e.getMessage()));
        }
    }

    private Detail detail(TransactionRecord tx) {
        return new Detail(Line.of(tx), tx.branches().stream().map(Branch::of).toList(), transactions.history(tx.gid()));
    }

    private static TransactionId id(String gid) {
        try {
            return new TransactionId(gid);
        } catch (IllegalArgumentException e) {
            throw invalid(String.valueOf(e.getMessage()));
        }
    }

    private static TransactionState state(String text) {
        try {
            return TransactionState.valueOf(text.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw invalid("There is no state \"" + text + "\": they are " + List.of(TransactionState.values()));
        }
    }

    private static InvalidEndpointRequestException invalid(String reason) {
        return new InvalidEndpointRequestException(reason, reason);
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
