package dev.tenon.tx.notify;

import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.Operation;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionOutcome;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import java.net.URI;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Best-effort notification: tells another system what has happened, on a schedule, for a limited time. A receiver that
 * was not reached asks ({@link #outcome}, or for the thing itself). Immutable and thread-safe.
 */
public final class Notifications {
    /** One second, doubled up to one hour. */
    public static final RetryPolicy SCHEDULE = RetryPolicy.of("PT1S 2.0 PT1H");

    /** How long a notification is tried. */
    public static final Duration AGE = Duration.ofDays(1);

    private final Transactions transactions;
    private final RetryPolicy schedule;
    private final Duration age;
    private final String secret;

    private Notifications(Transactions transactions, RetryPolicy schedule, Duration age, String secret) {
        this.transactions = Objects.requireNonNull(transactions, "transactions");
        this.schedule = Objects.requireNonNull(schedule, "schedule");
        this.age = Objects.requireNonNull(age, "age");
        this.secret = secret;
    }

    /**
     * Notifications over a log, on {@link #SCHEDULE} for {@link #AGE}; {@code transactions} calls an {@link
     * HttpNotifier}.
     */
    public static Notifications over(Transactions transactions) {
        return new Notifications(transactions, SCHEDULE, AGE, "");
    }

    /**
     * These on another schedule.
     *
     * @param policy when it is tried again; used up, the notification has failed
     * @param limit how old a notification may be when it is tried last, 1 ms to 365 days
     */
    public Notifications on(RetryPolicy policy, Duration limit) {
        return new Notifications(transactions, policy, limit, secret);
    }

    /**
     * These, each signed with the secret of a name. The log has the name, never the secret: the {@link HttpNotifier}
     * looks it up at each try ({@link HttpNotifier#with}). Without a name, it signs with its own.
     *
     * @param name for {@link WebhookSecrets}, such as {@code "orders-hook"}
     * @throws IllegalArgumentException if it can't be one
     */
    public Notifications signedBy(String name) {
        return new Notifications(transactions, schedule, age, WebhookSecrets.requireName(name));
    }

    /**
     * Sends a notification, soon and in another thread. With the ID and the content of one that was sent, nothing
     * happens.
     *
     * @param gid the receiver knows a notification that it has got already by this ID
     * @param address where to, http or https; restrict it if users choose it
     * @param body the same on each try; JSON
     * @throws dev.tenon.tx.TransactionConflictException if there is another transaction of that ID
     */
    public TransactionRecord send(TransactionId gid, URI address, String body) {
        return transactions.begin(draft(gid, address, body));
    }

    /**
     * As {@link #send(TransactionId, URI, String)}, as part of a local transaction: it is sent if that is committed.
     *
     * @param connection with a transaction open, of the database that has the log
     */
    public TransactionRecord send(Connection connection, TransactionId gid, URI address, String body) {
        return transactions.begin(connection, draft(gid, address, body));
    }

    private TransactionDraft draft(TransactionId gid, URI address, String body) {
        BranchRecord branch = BranchRecord.planned(
                "notify",
                Map.of(Operation.NOTIFY, HttpNotifier.target(address, secret)),
                Objects.requireNonNull(body, "body"));
        return new TransactionDraft(
                gid,
                TransactionKind.NOTIFY,
                transactions.options().service(),
                "",
                "",
                Optional.empty(),
                TransactionState.ACTIVE,
                age,
                schedule,
                List.of(branch));
    }

    /**
     * What became of a notification: committed, the receiver has it; aborted, it never took it; in doubt, it is still
     * on its way.
     */
    public TransactionOutcome outcome(TransactionId gid) {
        return transactions.outcome(gid);
    }
}
