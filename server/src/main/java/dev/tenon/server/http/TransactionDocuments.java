package dev.tenon.server.http;

import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.BranchState;
import dev.tenon.tx.Operation;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.http.HttpParticipants;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Transactions as JSON shows them. Payloads and secrets are not shown: who asks need not be who may see those. */
final class TransactionDocuments {
    private TransactionDocuments() {}

    /** A transaction. */
    record TransactionDocument(
            String gid,
            String kind,
            String state,
            @Nullable String suspended,
            @Nullable String closed,
            @Nullable String failingSince,
            @Nullable String stuckAt,
            String service,
            @Nullable String name,
            @Nullable String parent,
            String createdAt,
            String deadline,
            @Nullable String endedAt,
            List<BranchDocument> branches,
            @Nullable List<EventDocument> history) {}

    /** A branch. */
    record BranchDocument(
            String name,
            String state,
            int attempts,
            @Nullable String lastError,
            @Nullable String dueAt,
            @Nullable String result,
            @Nullable Boolean pivot,
            List<String> after,
            Map<String, String> targets) {}

    /** What somebody did, or what keeps it from going on. */
    record EventDocument(String at, String what, String by, String detail) {}

    /** A page of transactions. */
    record PageDocument(
            List<TransactionDocument> transactions,
            @Nullable String next) {}

    /** A transaction without its history. */
    static TransactionDocument of(TransactionRecord tx) {
        return document(tx, null);
    }

    /** A transaction with its history. */
    static TransactionDocument of(TransactionRecord tx, List<TransactionEvent> history) {
        return document(
                tx,
                history.stream()
                        .map(e -> new EventDocument(e.at().toString(), e.what(), e.by(), e.detail()))
                        .toList());
    }

    private static TransactionDocument document(TransactionRecord tx, @Nullable List<EventDocument> history) {
        boolean isClosed = tx.state() == TransactionState.CLOSED;
        return new TransactionDocument(
                tx.gid().text(),
                tx.kind().text(),
                tx.state().name(),
                isClosed ? null : tx.suspended().orElse(null),
                isClosed ? tx.suspended().orElse(null) : null,
                tx.progress().trouble().map(t -> t.since().toString()).orElse(null),
                tx.stuckAt().map(Instant::toString).orElse(null),
                tx.service(),
                tx.name().isEmpty() ? null : tx.name(),
                tx.parent().map(TransactionId::text).orElse(null),
                tx.createdAt().toString(),
                tx.deadline().toString(),
                tx.progress().endedAt().map(Instant::toString).orElse(null),
                tx.branches().stream().map(TransactionDocuments::branch).toList(),
                history);
    }

    private static BranchDocument branch(BranchRecord branch) {
        boolean called = branch.state() != BranchState.PLANNED;
        Map<String, String> targets = new TreeMap<>();
        for (Map.Entry<Operation, String> target : branch.targets().entrySet()) {
            targets.put(target.getKey().text(), HttpParticipants.shown(target.getValue()));
        }
        return new BranchDocument(
                branch.name(),
                branch.state().name(),
                branch.attempts(),
                branch.lastError().orElse(null),
                called ? branch.dueAt().map(Instant::toString).orElse(null) : null,
                branch.result().orElse(null),
                branch.pivot() ? true : null,
                branch.after(),
                targets);
    }
}
