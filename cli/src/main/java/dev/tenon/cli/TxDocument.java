package dev.tenon.cli;

import java.util.Map;
import tools.jackson.databind.JsonNode;

/** A transaction as the server shows it, for people. */
final class TxDocument {
    private static final int TROUBLE_MAX = 60;

    private TxDocument() {}

    /** Does something to a transaction, and says what it is then. */
    static int act(ServerOptions server, String gid, String word, String reason) {
        JsonNode tx = server.client()
                .send(
                        "POST",
                        "/v1/transactions/" + ServerClient.segment(gid) + "/" + word,
                        reason.isEmpty() ? Map.of() : Map.of("reason", reason),
                        ServerClient.TIMEOUT);
        if (!server.printed(tx)) {
            server.out().println(gid + " is " + state(tx) + (trouble(tx).isEmpty() ? "" : ": " + trouble(tx)));
            server.out().flush();
        }
        return ExitCode.OK.code();
    }

    /** The state, and whether somebody has to look: it waits for an operator, or is reported as stuck. */
    static String state(JsonNode tx) {
        boolean stuck = tx.hasNonNull("suspended") || tx.hasNonNull("stuckAt");
        return tx.path("state").asString() + (stuck ? " (stuck)" : "");
    }

    /** Since when it is stuck, as far as that is known; {@code -}: it is not. */
    static String stuckSince(JsonNode tx) {
        if (tx.hasNonNull("failingSince") && tx.hasNonNull("stuckAt")) {
            return tx.path("failingSince").asString();
        }
        return tx.hasNonNull("suspended") ? "suspended" : "-";
    }

    /**
     * Why it waits for an operator or was closed, or else what the first branch that has to be called again said; empty
     * if neither.
     */
    static String trouble(JsonNode tx) {
        String why = tx.path("suspended").asString(tx.path("closed").asString(""));
        if (why.isEmpty() && !tx.hasNonNull("endedAt")) {
            for (JsonNode branch : tx.path("branches")) {
                if (why.isEmpty() && branch.hasNonNull("lastError")) {
                    why = branch.path("name").asString() + ": "
                            + branch.path("lastError").asString();
                }
            }
        }
        String line = why.replaceAll("\\s+", " ");
        return line.length() <= TROUBLE_MAX ? line : line.substring(0, TROUBLE_MAX) + "…";
    }

    /** All of it. */
    static void print(JsonNode tx, Lines out) {
        out.println(tx.path("gid").asString() + " (" + tx.path("kind").asString() + ") is " + state(tx));
        said(out, "stuck:    ", tx.path("suspended"));
        said(out, "closed:   ", tx.path("closed"));
        said(out, "failing:  since ", tx.path("failingSince"));
        said(out, "reported: as stuck ", tx.path("stuckAt"));
        out.println("begun:    " + tx.path("createdAt").asString());
        out.println(
                tx.hasNonNull("endedAt")
                        ? "ended:    " + tx.path("endedAt").asString()
                        : "deadline: " + tx.path("deadline").asString());
        out.println();
        branches(tx).print(out);
        if (!tx.path("history").isEmpty()) {
            out.println();
            tx.path("history")
                    .forEach(event -> out.println(event.path("at").asString() + "  "
                            + event.path("what").asString() + " by "
                            + event.path("by").asString()
                            + (event.path("detail").asString("").isEmpty()
                                    ? ""
                                    : ": " + event.path("detail").asString())));
        }
        out.flush();
    }

    private static void said(Lines out, String what, JsonNode value) {
        if (value.isString()) {
            out.println(what + value.asString());
        }
    }

    /** Its branches, and how far each is. */
    static Table branches(JsonNode tx) {
        Table table = new Table("BRANCH", "STATE", "CALLS", "NEXT CALL", "LAST ERROR");
        tx.path("branches")
                .forEach(branch -> table.row(
                        branch.path("name").asString() + (branch.path("pivot").asBoolean(false) ? " (pivot)" : ""),
                        branch.path("state").asString(),
                        branch.path("attempts").asString(),
                        branch.path("dueAt").asString("-"),
                        branch.path("lastError").asString("-").replaceAll("\\s+", " ")));
        return table;
    }
}
