package dev.tenon.server.tx;

import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import dev.tenon.tx.TransactionId;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The fields of a transaction's description; one that is wrong is named. */
final class TransactionFields {
    private static final Pattern BRANCH_NAME = Pattern.compile("[A-Za-z0-9._:/-]{1,200}");

    private TransactionFields() {}

    /** An element of a list. */
    record Item<T>(String path, T value) {
        /** One of its fields, such as {@code steps[2].action}. */
        String field(String name) {
            return path + "." + name;
        }
    }

    /** A field is not as it must be. */
    static ProblemException wrong(String field, String why) {
        return new ProblemException(
                ProblemType.BAD_TRANSACTION,
                "\"" + field + "\": " + why + (why.endsWith(".") ? "" : "."),
                Map.of("field", field));
    }

    /** The elements of a list that must not be empty. */
    static <T> List<Item<T>> items(String field, @Nullable List<@Nullable T> given) {
        if (given == null || given.isEmpty()) {
            throw wrong(field, "it is missing, or empty: name one at least");
        }
        List<Item<T>> items = new ArrayList<>();
        for (int i = 0; i < given.size(); i++) {
            String path = field + "[" + i + "]";
            items.add(new Item<>(path, required(path, given.get(i))));
        }
        return items;
    }

    static <T> T required(String field, @Nullable T value) {
        if (value == null) {
            throw wrong(field, "it is missing");
        }
        return value;
    }

    /** A name that can stand in a header as it is. */
    static String branchName(String field, @Nullable String name) {
        String given = required(field, name);
        if (!BRANCH_NAME.matcher(given).matches()) {
            throw wrong(field, "it must have 1 to 200 letters, digits, or any of . _ : / -");
        }
        return given;
    }

    static List<String> names(String field, List<@Nullable String> given) {
        List<String> names = new ArrayList<>();
        for (String name : given) {
            names.add(required(field, name));
        }
        return names;
    }

    static TransactionId gid(String text) {
        return checked("gid", () -> new TransactionId(text));
    }

    static Duration duration(String field, @Nullable String text, Duration otherwise) {
        if (text == null) {
            return otherwise;
        }
        try {
            return Duration.parse(text);
        } catch (DateTimeParseException e) {
            throw wrong(field, "it must be an ISO 8601 duration such as PT30S, PT5M or P1D");
        }
    }

    /** What a constructor makes; what it refuses is the field's fault. */
    static <T> T checked(String field, Supplier<T> made) {
        try {
            return made.get();
        } catch (IllegalArgumentException e) {
            String why = String.valueOf(e.getMessage());
            throw field.isEmpty() ? new ProblemException(ProblemType.BAD_TRANSACTION, why + ".") : wrong(field, why);
        }
    }
}
