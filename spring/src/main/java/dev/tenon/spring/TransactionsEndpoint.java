package dev.tenon.spring;

import dev.tenon.tx.TransactionConflictException;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.UnknownTransactionException;
import dev.tenon.tx.spi.BranchRecord;
import dev.tenon.tx.spi.TransactionEvent;
import dev.tenon.tx.spi.TransactionFilter;
import dev.tenon.tx.spi.TransactionPage;
import dev.tenon.tx.spi.TransactionRecord;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/** {@code /actuator/tenontransactions}: the log of transactions. Asks the database. Read only, unless its access is widened. */
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
     * @param more whether there are others after the last
     */
    record Page(List<Line> transactions, boolean more) {}

    /**
     * A transaction.
     *
     * @param suspended why it waits for an operator; null if it does not
     */
    record Line(
            String gid,
            String kind,
            String name,
            String service,
            String state,
            @Nullable String suspended,
            Instant createdAt) {
        static Line of(TransactionRecord tx) {
            return new Line(
                    tx.gid().text(),
                    lower(tx.kind()),
                    tx.name(),
                    tx.service(),
                    lower(tx.state()),
                    tx.suspended().orElse(null),
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
     * Lists 100 of them.
     *
     * @param state in this one only, such as {@code committing}
     * @param suspended only those that wait for an operator
     * @param after the last ID of the page before
     */
    // Spring's own annotation, too, since Spring Boot 3 knows by it alone what may be left out.
    @SuppressWarnings("deprecation")
    @ReadOperation
    public Page list(
            @org.springframework.lang.Nullable @Nullable String state,
            @org.springframework.lang.Nullable @Nullable Boolean suspended,
            @org.springframework.lang.Nullable @Nullable String after) {
        TransactionFilter every = state == null ? TransactionFilter.ALL : TransactionFilter.ALL.in(state(state));
        TransactionFilter filter = Boolean.TRUE.equals(suspended) ? every.thatAreStuck() : every;
        TransactionPage page = transactions.list(filter, Objects.requireNonNullElse(after, ""), LIMIT);
        return new Page(page.transactions().stream().map(Line::of).toList(), page.more());
    }

    /** One of them; null, which is a 404, if there is none. */
    @ReadOperation
    public @Nullable Detail find(@Selector String gid) {
        return transactions.find(id(gid)).map(this::detail).orElse(null);
    }

    /**
     * Does what an operator decides.
     *
     * @param action {@code retry}, {@code suspend}, {@code resume} or {@code abort}
     * @param by who it is, for the history
     * @param reason why, for the history
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
                        default ->
                            throw invalid("The action is retry, suspend, resume or abort, not \"" + action + "\"");
                    });
        } catch (UnknownTransactionException | TransactionConflictException e) {
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
