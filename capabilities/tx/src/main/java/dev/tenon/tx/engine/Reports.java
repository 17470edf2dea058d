package dev.tenon.tx.engine;

import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.BranchState;
import dev.tenon.tx.StuckAfter;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionRecord.Trouble;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Reports transactions that are stuck, suspended or turned back: a line of their history and a warning in the log, once
 * each, by the process that has written it. The happy path reports nothing. Immutable.
 *
 * @param owner the process that drives them
 */
record Reports(String owner, StuckAfter stuckAfter) {
    private static final System.Logger LOG = System.getLogger(Transactions.class.getName());
    private static final String STUCK = "stuck";
    private static final String SUSPENDED = "suspended";

    /** What to write down with a step. */
    List<TransactionEvent> events(TransactionRecord before, TransactionRecord settled, Instant now) {
        List<TransactionEvent> events = new ArrayList<>();
        boolean turnsBack = before.state() == TransactionState.ACTIVE
                && (settled.state() == TransactionState.ABORTING || settled.state() == TransactionState.ABORTED);
        if (turnsBack) {
            String why = before.branches().stream()
                    .filter(b -> b.state() == BranchState.REFUSED || b.state() == BranchState.STUCK)
                    .findFirst()
                    .map(b -> b.name() + ": " + b.lastError().orElse("failed"))
                    .orElse("its deadline has passed");
            events.add(new TransactionEvent(now, "aborted", owner, why));
        }
        if (settled.suspended().isPresent() && before.suspended().isEmpty()) {
            events.add(new TransactionEvent(
                    now, SUSPENDED, owner, settled.suspended().get()));
        }
        if (settled.stuckAt().isPresent() && before.stuckAt().isEmpty()) {
            events.add(new TransactionEvent(now, STUCK, owner, why(settled)));
        }
        return events;
    }

    private static String why(TransactionRecord tx) {
        return tx.branches().stream()
                .filter(b -> b.lastError().isPresent() && b.state() != BranchState.REFUSED)
                .max(Comparator.comparingInt(BranchRecord::attempts))
                .map(b -> b.name() + " after " + b.attempts() + " calls: "
                        + b.lastError().orElse("no answer"))
                .orElse("");
    }

    /** Warns of what was written down. */
    void tell(TransactionRecord tx, List<TransactionEvent> written) {
        for (TransactionEvent event : written) {
            if (event.what().equals(STUCK)) {
                LOG.log(
                        Level.WARNING,
                        "Transaction {0} ({1} {2}) is {3} and stuck since {4}: {5}. Retries go on; tenon tx show {0}",
                        tx.gid(),
                        tx.kind().text(),
                        tx.name(),
                        tx.state(),
                        tx.progress().trouble().map(Trouble::since).orElse(event.at()),
                        event.detail());
            } else if (event.what().equals(SUSPENDED)) {
                LOG.log(
                        Level.WARNING,
                        "Transaction {0} ({1} {2}) is {3} and waits for an operator: {4}. Fix the cause, then tenon tx retry {0}",
                        tx.gid(),
                        tx.kind().text(),
                        tx.name(),
                        tx.state(),
                        event.detail());
            }
        }
    }

    /** When to poll next: not after the moment at which it is to be reported. */
    Instant nextLook(TransactionRecord tx, Instant next) {
        Optional<Instant> report = tx.progress()
                .trouble()
                .filter(trouble -> trouble.stuckAt().isEmpty() && !tx.state().isFinal())
                .map(trouble -> trouble.since().plus(stuckAfter.time()));
        return report.filter(at -> at.isBefore(next)).orElse(next);
    }
}
