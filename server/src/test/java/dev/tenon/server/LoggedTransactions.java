package dev.tenon.server;

import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.Operation;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionRecord.Trouble;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.spi.TransactionStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Puts transactions of services that drive their own into a log, as those would leave them. */
record LoggedTransactions(TransactionStore log) {
    private static final Duration LEASE = Duration.ofHours(1);

    /** One that is undecided, and driven by somebody. */
    TransactionRecord active(String gid, TransactionKind kind, String service) {
        TransactionDraft draft = new TransactionDraft(
                new TransactionId(gid),
                kind,
                service,
                "order/1",
                "{}",
                Optional.empty(),
                TransactionState.ACTIVE,
                Duration.ofDays(1),
                RetryPolicy.FOR_EVER,
                List.of(BranchRecord.planned("pay", Map.of(Operation.ACTION, "saga:order/1/pay"), "30")));
        return log.begin(draft, Optional.of("somebody"), LEASE).transaction();
    }

    TransactionRecord active(String gid) {
        return active(gid, TransactionKind.SAGA, "shop");
    }

    /** One that waits for an operator. */
    TransactionRecord suspended(String gid, String why) {
        TransactionRecord tx = active(gid);
        return written(tx, tx.suspendedFor(Optional.of(why)));
    }

    /** One that is committed again and again, and reported as stuck. */
    TransactionRecord stuck(String gid, String error) {
        TransactionRecord tx = active(gid);
        Instant since = log.now();
        TransactionRecord failing =
                tx.in(TransactionState.COMMITTING).change("pay", branch -> branch.again(since.plusSeconds(60), error));
        return written(
                tx, failing.with(failing.progress().troubled(Optional.of(new Trouble(since, Optional.of(since))))));
    }

    TransactionRecord ended(String gid, TransactionState state) {
        TransactionRecord tx = active(gid);
        return written(tx, tx.in(state));
    }

    private TransactionRecord written(TransactionRecord before, TransactionRecord after) {
        return log.update(before, after, List.of()).orElseThrow();
    }
}
