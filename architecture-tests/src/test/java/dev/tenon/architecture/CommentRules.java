package dev.tenon.architecture;

import dev.tenon.architecture.Repository.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Comments fit the columns that code has: the formatter breaks code, and leaves Javadoc to its author. Java and Kotlin.
 */
final class CommentRules {
    static final int COLUMNS_MAX = 120;

    /** What can't be broken: a line that is one word, such as the address of a page. */
    private static final Pattern ONE_WORD = Pattern.compile("[\\s/*]*\\S+");

    private CommentRules() {}

    /** The lines of comments that are too long, each with its place. */
    static List<String> violations(Source source) {
        List<String> violations = new ArrayList<>();
        String text = source.text();
        List<String> lines = text.lines().toList();
        int line = 0;
        for (int at = 0; at < text.length(); ) {
            int end = end(text, at);
            int last = line
                    + (int) text.substring(at, end)
                            .chars()
                            .filter(c -> c == '\n')
                            .count();
            if (text.startsWith("/*", at) || text.startsWith("//", at)) {
                for (int i = line; i <= last; i++) {
                    int columns = (int) lines.get(i).codePoints().count();
                    if (columns > COLUMNS_MAX && !ONE_WORD.matcher(lines.get(i)).matches()) {
                        violations.add(source.file() + ":" + (i + 1) + ": a comment to column " + columns + ", of "
                                + COLUMNS_MAX);
                    }
                }
            }
            line = last;
            at = end;
        }
        return violations;
    }

    /** Where the comment, the literal or the character ends that begins here. */
    private static int end(String text, int at) {
        if (text.startsWith("//", at)) {
            int end = text.indexOf('\n', at);
            return end < 0 ? text.length() : end;
        }
        if (text.startsWith("/*", at)) {
            return after(text, "*/", at + 2);
        }
        if (text.startsWith("\"\"\"", at)) {
            return literal(text, "\"\"\"", at + 3);
        }
        char c = text.charAt(at);
        return c == '"' || c == '\'' ? literal(text, String.valueOf(c), at + 1) : at + 1;
    }

    private static int literal(String text, String quote, int from) {
        int at = from;
        while (at < text.length() && !text.startsWith(quote, at)) {
            at += text.charAt(at) == '\\' ? 2 : 1;
        }
        return Math.min(text.length(), at + quote.length());
    }

    private static int after(String text, String end, int from) {
        int at = text.indexOf(end, from);
        return at < 0 ? text.length() : at + end.length();
    }
}
