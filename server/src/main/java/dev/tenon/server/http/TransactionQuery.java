package dev.tenon.server.http;

import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionPosition;
import dev.tenon.tx.TransactionState;
import java.util.Arrays;
import java.util.Map;

/** Which transactions a {@code GET /v1/transactions} asks for. */
final class TransactionQuery {
    private TransactionQuery() {}

    /** What stands in its query; another name than these is refused. */
    static Map<String, String> of(Exchange x) {
        return x.query(
                "state",
                "kind",
                "stuck",
                "suspended",
                "service",
                "prefix",
                "olderThan",
                "youngerThan",
                "error",
                "after",
                "limit");
    }

    /** @throws ProblemException if a value is none */
    static TransactionFilter filter(Map<String, String> query) {
        TransactionFilter filter = TransactionFilter.ALL
                .withIdPrefix(query.getOrDefault("prefix", ""))
                .withError(error(query));
        if (query.containsKey("state")) {
            filter = filter.in(state(query.get("state")));
        }
        if (query.containsKey("kind")) {
            filter = filter.ofKind(TransactionKind.of(query.get("kind")));
        }
        if (query.containsKey("service")) {
            filter = filter.ofService(query.get("service"));
        }
        if (query.containsKey("olderThan")) {
            filter = filter.olderThan(
                    Iso.duration("olderThan", query.get("olderThan")).orElseThrow());
        }
        if (query.containsKey("youngerThan")) {
            filter = filter.youngerThan(
                    Iso.duration("youngerThan", query.get("youngerThan")).orElseThrow());
        }
        // The older name of the same.
        return flag(query, "stuck") || flag(query, "suspended") ? filter.thatAreStuck() : filter;
    }

    /** Where the page begins. */
    static String after(Map<String, String> query) {
        String after = query.getOrDefault("after", "");
        TransactionPosition.parse(after);
        return after;
    }

    private static String error(Map<String, String> query) {
        String error = query.getOrDefault("error", "");
        if (error.length() > TransactionFilter.ERROR_LENGTH_MAX) {
            throw new ProblemException(
                    ProblemType.BAD_REQUEST,
                    "\"error\" may have " + TransactionFilter.ERROR_LENGTH_MAX + " characters at most.");
        }
        return error;
    }

    private static TransactionState state(String text) {
        return Arrays.stream(TransactionState.values())
                .filter(s -> s.name().equalsIgnoreCase(text))
                .findFirst()
                .orElseThrow(() -> new ProblemException(
                        ProblemType.BAD_REQUEST,
                        "\"state\" must be one of " + Arrays.toString(TransactionState.values()) + "."));
    }

    private static boolean flag(Map<String, String> query, String name) {
        String value = query.getOrDefault(name, "false");
        if (!value.equals("true") && !value.equals("false")) {
            throw new ProblemException(ProblemType.BAD_REQUEST, "\"" + name + "\" must be true or false.");
        }
        return value.equals("true");
    }
}
