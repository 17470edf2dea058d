package dev.tenon.client;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TenonException;
import dev.tenon.testkit.history.History;
import dev.tenon.testkit.history.Operation;
import dev.tenon.testkit.history.Operation.Read;
import dev.tenon.testkit.history.Operation.Refused;
import dev.tenon.testkit.history.Operation.Written;
import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.spi.Begun;
import dev.tenon.tx.spi.TransactionStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads and writes a register, each time that it is run: a transaction that nobody drives, in the log at the server,
 * whose update is a compare-and-set on its version. For one thread; others may write the same register.
 */
final class RegisterUser {
    /** Of a transaction that was just begun. */
    static final long FIRST_VERSION = 1;

    private static final String VALUE = "value";
    private static final Instant NEVER_DUE = Instant.parse("2100-01-01T00:00:00Z");

    private final TransactionStore store;
    private final String register;
    private final String user;
    private final History history;
    private final Duration patience;
    private long writes;
    private long answeredNanos = System.nanoTime();

    /** @param patience how long it may be without an answer; then it has failed */
    RegisterUser(TransactionStore store, String register, String user, History history, Duration patience) {
        this.store = store;
        this.register = register;
        this.user = user;
        this.history = history;
        this.patience = patience;
    }

    /** Makes the register, if it is not there. */
    static Begun make(TransactionStore store, String register) {
        return store.begin(
                new TransactionDraft(
                        new TransactionId(register),
                        TransactionKind.SAGA,
                        "registers",
                        "register/1",
                        "",
                        Optional.empty(),
                        TransactionState.ACTIVE,
                        Duration.ofDays(1),
                        RetryPolicy.FOR_EVER,
                        List.of(BranchRecord.planned(VALUE, Map.of(dev.tenon.tx.Operation.ACTION, "nobody"), ""))),
                Optional.of("nobody"),
                Duration.ofDays(1));
    }

    /** @return whether there was an answer */
    boolean runOnce() {
        long invoked = System.nanoTime();
        try {
            TransactionRecord found = store.find(new TransactionId(register))
                    .orElseThrow(() -> new AssertionError(register + " was lost"));
            add(
                    new Read(
                            found.progress().version(),
                            found.branch(VALUE).flatMap(BranchRecord::lastError).orElse("")),
                    invoked);
            write(found);
            return true;
        } catch (BackendUnavailableException | OutcomeUnknownException e) {
            requirePatience(e);
            return false;
        }
    }

    private void write(TransactionRecord found) {
        long version = found.progress().version();
        Written written = new Written(version, user + "-" + ++writes);
        long invoked = System.nanoTime();
        try {
            boolean done = store.update(found, found.change(VALUE, b -> b.again(NEVER_DUE, written.value())), List.of())
                    .isPresent();
            add(done ? written : new Refused(version), invoked);
        } catch (OutcomeUnknownException e) {
            history.add(register, Operation.perhaps(user, written, invoked));
            throw e;
        }
    }

    private void add(Operation.Change change, long invoked) {
        answeredNanos = System.nanoTime();
        history.add(register, Operation.answered(user, change, invoked, answeredNanos));
    }

    private void requirePatience(TenonException last) {
        if (System.nanoTime() - answeredNanos > patience.toNanos()) {
            throw new AssertionError("No answer in " + patience, last);
        }
    }
}
