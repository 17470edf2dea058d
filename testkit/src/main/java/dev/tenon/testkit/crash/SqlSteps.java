package dev.tenon.testkit.crash;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Which statements may write, and the names of the steps that they are. It keeps what it has found out for all
 * processes of an enumeration, which run the same statements thousands of times. Thread-safe.
 */
final class SqlSteps {
    private static final int KEPT_MAX = 1000;
    private static final int NAME_LENGTH = 100;
    private static final Pattern COMMENT = Pattern.compile("--[^\n]*\n|/\\*.*?\\*/", Pattern.DOTALL);
    private static final Pattern TEXT = Pattern.compile("'[^']*'");
    private static final Pattern SPACE = Pattern.compile("\\s+");
    private static final Pattern CHANGE = Pattern.compile(
            "\\b(INSERT INTO|REPLACE INTO|MERGE INTO|UPDATE|DELETE FROM) \\w+", Pattern.CASE_INSENSITIVE);
    private static final Set<String> READS =
            Set.of("SELECT", "(SELECT", "SHOW", "VALUES", "EXPLAIN", "SET", "XA", "ROLLBACK");

    private final Map<String, Optional<String>> known = new ConcurrentHashMap<>();

    /** The name of the step that a statement is; none for one that only reads. */
    Optional<String> of(String sql) {
        Optional<String> step = known.get(sql);
        if (step == null) {
            String plain = plain(sql);
            step = writes(plain) ? Optional.of(shortened(plain)) : Optional.empty();
            if (known.size() < KEPT_MAX) {
                known.put(sql, step);
            }
        }
        return step;
    }

    private static String plain(String sql) {
        String text = COMMENT.matcher(sql + "\n").replaceAll(" ");
        text = TEXT.matcher(text).replaceAll("?");
        return SPACE.matcher(text).replaceAll(" ").strip();
    }

    /** What it writes where, or how it begins if that can't be seen. */
    private static String shortened(String plain) {
        List<String> changes = CHANGE.matcher(plain)
                .results()
                .map(MatchResult::group)
                .distinct()
                .toList();
        String text = changes.isEmpty() ? plain : String.join(", ", changes);
        return text.substring(0, Math.min(NAME_LENGTH, text.length()));
    }

    private static boolean writes(String plain) {
        int end = plain.indexOf(' ');
        return !READS.contains((end < 0 ? plain : plain.substring(0, end)).toUpperCase(Locale.ROOT));
    }
}
