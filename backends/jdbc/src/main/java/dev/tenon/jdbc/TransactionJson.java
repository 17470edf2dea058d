package dev.tenon.jdbc;

import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.TransactionEvent;
import java.util.List;
import java.util.Optional;

/** Many rows as one parameter of a statement: an array of objects, in JSON (RFC 8259). What is absent is left out. */
final class TransactionJson {
    private final StringBuilder text = new StringBuilder("[");

    private TransactionJson() {}

    /** Branches as a whole, those from a position on. */
    static String branches(List<BranchRecord> branches, int from) {
        TransactionJson json = new TransactionJson();
        for (int i = from; i < branches.size(); i++) {
            BranchRecord branch = branches.get(i);
            json.progress(i, branch);
            json.text("name", branch.name());
            json.number("pivot", branch.pivot() ? 1 : 0);
            json.text("after_branches", TransactionText.lines(branch.after()));
            json.text("targets", TransactionText.targets(branch.targets()));
            json.text("payload", branch.payload());
            json.end();
        }
        return json.array();
    }

    /** How far those branches are that have changed. */
    static String changed(TransactionWrite write) {
        TransactionJson json = new TransactionJson();
        for (int position : write.changed()) {
            json.progress(position, write.next().branches().get(position));
            json.end();
        }
        return json.array();
    }

    static String events(List<TransactionEvent> events) {
        TransactionJson json = new TransactionJson();
        for (int i = 0; i < events.size(); i++) {
            TransactionEvent event = events.get(i);
            json.position(i);
            json.number("at", LockRow.micros(event.at()));
            json.text("what", TransactionText.storable(event.what()));
            json.text("actor", TransactionText.storable(event.by()));
            json.text("detail", TransactionText.storable(event.detail()));
            json.end();
        }
        return json.array();
    }

    private void progress(int position, BranchRecord branch) {
        position(position);
        text("state", branch.state().name());
        number("attempts", branch.attempts());
        branch.dueAt().ifPresent(at -> number("due", LockRow.micros(at)));
        optional("result", branch.result());
        optional("error", branch.lastError());
    }

    private void position(int position) {
        text.append(text.length() > 1 ? "," : "").append("{\"position\":").append(position);
    }

    private void optional(String name, Optional<String> value) {
        value.ifPresent(present -> text(name, present));
    }

    private void number(String name, long value) {
        text.append(",\"").append(name).append("\":").append(value);
    }

    private void text(String name, String value) {
        text.append(",\"").append(name).append("\":\"");
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < ' ') {
                text.append("\\u%04x".formatted((int) c));
            } else {
                text.append(c);
            }
        }
        text.append('"');
    }

    private void end() {
        text.append('}');
    }

    private String array() {
        return text.append(']').toString();
    }
}
