package dev.tenon.jdbc;

import dev.tenon.tx.spi.BranchRecord;
import dev.tenon.tx.spi.TransactionEvent;
import java.util.List;
import java.util.Optional;

/** The rows of a transaction as parameters of one statement. */
final class TransactionJson {
    private final JsonRows rows = new JsonRows();

    private TransactionJson() {}

    /** Branches as a whole, those from a position on. */
    static String branches(List<BranchRecord> branches, int from) {
        TransactionJson json = new TransactionJson();
        for (int i = from; i < branches.size(); i++) {
            BranchRecord branch = branches.get(i);
            json.progress(i, branch);
            json.rows.text("name", branch.name());
            json.rows.number("pivot", branch.pivot() ? 1 : 0);
            json.rows.text("after_branches", TransactionText.lines(branch.after()));
            json.rows.text("targets", TransactionText.targets(branch.targets()));
            json.rows.text("payload", branch.payload());
            json.rows.end();
        }
        return json.rows.array();
    }

    /** How far those branches are that have changed. */
    static String changed(TransactionWrite write) {
        TransactionJson json = new TransactionJson();
        for (int position : write.changed()) {
            json.progress(position, write.next().branches().get(position));
            json.rows.end();
        }
        return json.rows.array();
    }

    static String events(List<TransactionEvent> events) {
        TransactionJson json = new TransactionJson();
        for (int i = 0; i < events.size(); i++) {
            TransactionEvent event = events.get(i);
            json.position(i);
            json.rows.number("at", LockRow.micros(event.at()));
            json.rows.text("what", TransactionText.storable(event.what()));
            json.rows.text("actor", TransactionText.storable(event.by()));
            json.rows.text("detail", TransactionText.storable(event.detail()));
            json.rows.end();
        }
        return json.rows.array();
    }

    private void progress(int position, BranchRecord branch) {
        position(position);
        rows.text("state", branch.state().name());
        rows.number("attempts", branch.attempts());
        branch.dueAt().ifPresent(at -> rows.number("due", LockRow.micros(at)));
        optional("result", branch.result());
        optional("error", branch.lastError());
    }

    private void position(int position) {
        rows.begin();
        rows.number("position", position);
    }

    private void optional(String name, Optional<String> value) {
        value.ifPresent(present -> rows.text(name, present));
    }
}
