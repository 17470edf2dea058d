package dev.tenon.tx.global;

import dev.tenon.tx.TransactionId;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A call of another service within a global transaction. The service is a branch before it is called. The caller sends
 * {@link #header} under the name {@link GlobalTransactions#HEADER}, and hands what came back under that name to {@link
 * #answered}. A call that ends without that answer has the whole transaction rolled back: it is not known what it has
 * done. Close it in any case. Thread-safe.
 */
public final class OutgoingCall implements AutoCloseable {
    private final GlobalTransaction transaction;
    private final String service;
    private final TransactionId child;
    private volatile boolean answered;

    OutgoingCall(GlobalTransaction transaction, String service, TransactionId child) {
        this.transaction = transaction;
        this.service = service;
        this.child = child;
        transaction.called(this);
    }

    /** What the service is sent: the ID of its part of the transaction. */
    public String header() {
        return child.text();
    }

    /** Which service is called. */
    public String service() {
        return service;
    }

    /**
     * The service has answered.
     *
     * @param header what came back as {@link GlobalTransactions#HEADER}; null if nothing did
     */
    public void answered(@Nullable String header) {
        if (Objects.equals(header, child.text())) {
            answered = true;
        } else {
            transaction.rollBackOnly(
                    "the service \"" + service + "\" has not answered that its part is done; its log says"
                            + " why, or it does not know of transactions (tenon.transactions.join)");
        }
        transaction.ended(this);
    }

    /** It is over. Idempotent. */
    @Override
    public void close() {
        if (!answered) {
            transaction.rollBackOnly("a call of the service \"" + service + "\" has ended without an answer");
        }
        transaction.ended(this);
    }
}
