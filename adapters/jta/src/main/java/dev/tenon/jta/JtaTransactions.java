package dev.tenon.jta;

import dev.tenon.lock.Lease;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.message.Outbox;
import jakarta.transaction.RollbackException;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.SystemException;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;
import java.time.Duration;
import java.util.Objects;

/**
 * What an existing JTA manager (Jakarta Transactions 2) has to tell Tenon: that a transaction is committed, with what
 * was written on one of its own connections: a saga begun, a TCC decided, a message. These are rows of a database that
 * the manager enlists, and share the fate of everything else in its transaction by its two-phase commit; Tenon takes no
 * part in that. All that is left to do is to go on right after the commit, and not at the next look of recovery or of
 * the outbox, which would find them as well; and to give a lock back after the commit, not before.
 *
 * <p>Each method is called inside a JTA transaction, on its thread, and throws {@link IllegalStateException} without
 * one, or if it can only be rolled back. Thread-safe.
 */
public final class JtaTransactions {
    private static final System.Logger LOG = System.getLogger(JtaTransactions.class.getName());

    private final TransactionManager manager;

    private JtaTransactions(TransactionManager manager) {
        this.manager = Objects.requireNonNull(manager, "manager");
    }

    /** With the manager of the application. */
    public static JtaTransactions of(TransactionManager manager) {
        return new JtaTransactions(manager);
    }

    /**
     * Drives a transaction that was begun or decided on a connection of this JTA transaction, as soon as that is
     * committed: {@link Transactions#hurry}.
     */
    public void hurry(Transactions transactions, TransactionId gid) {
        Objects.requireNonNull(transactions, "transactions");
        Objects.requireNonNull(gid, "gid");
        afterCommit("transaction " + gid, () -> transactions.hurry(gid));
    }

    /**
     * Sends what was enqueued on a connection of this JTA transaction, as soon as that is committed:
     * {@link Outbox#dispatch}.
     */
    public void dispatch(Outbox outbox) {
        Objects.requireNonNull(outbox, "outbox");
        afterCommit("outbox", outbox::dispatch);
    }

    /**
     * Keeps a lock until this JTA transaction is over, committed or not: commit before unlock. If the lock is lost by
     * the time the manager begins to commit, the transaction is rolled back, with the
     * {@link dev.tenon.LeaseLostException} as the reason in the manager's {@code RollbackException}. Between that look
     * and the commit there is a moment: where even that is too much, check the {@linkplain Lease#token token}. If this
     * method throws, the lock is still the caller's to give back.
     */
    public void hold(Lease lease) {
        Objects.requireNonNull(lease, "lease");
        register(new UntilTheEnd(lease));
    }

    private void afterCommit(String what, Runnable action) {
        register(new AfterCommit(what, action));
    }

    private void register(Synchronization synchronization) {
        try {
            Transaction current = manager.getTransaction();
            if (current == null) {
                throw new IllegalStateException("There is no JTA transaction on this thread: begin one first");
            }
            current.registerSynchronization(synchronization);
        } catch (RollbackException e) {
            throw new IllegalStateException("The JTA transaction can only be rolled back", e);
        } catch (SystemException e) {
            throw new IllegalStateException("The JTA manager does not tell which transaction there is", e);
        }
    }

    /**
     * Held when the commit begins, given back when the transaction is over. What is thrown before a commit ends it (JTA
     * 2.0, 3.6).
     */
    private record UntilTheEnd(Lease lease) implements Synchronization {
        @Override
        public void beforeCompletion() {
            lease.ensure(Duration.ZERO);
        }

        @Override
        public void afterCompletion(int status) {
            try {
                lease.close();
            } catch (RuntimeException e) {
                // The transaction is over all the same, and the lock is free when its lease runs out.
                LOG.log(System.Logger.Level.WARNING, "Lock \"" + lease.name() + "\" was not given back", e);
            }
        }
    }

    /**
     * Runs after a commit, or one whose end the manager does not know: what is not committed is not found, and left
     * alone.
     */
    private record AfterCommit(String what, Runnable action) implements Synchronization {
        @Override
        public void beforeCompletion() {}

        @Override
        public void afterCompletion(int status) {
            if (status == Status.STATUS_ROLLEDBACK) {
                return;
            }
            try {
                action.run();
            } catch (RuntimeException e) {
                // It is committed all the same, and will be found.
                LOG.log(System.Logger.Level.WARNING, "Not right after the commit, but later: " + what, e);
            }
        }
    }
}
