package dev.tenon.jdbc;

import java.sql.SQLFeatureNotSupportedException;

/** Refuses what a parser and a database may read in two ways: what is judged must be what runs. */
final class UndoText {
    private UndoText() {}

    /**
     * @throws SQLFeatureNotSupportedException if there is a comment that some databases run, one that some don't take for a
     *     comment, or a quote that some take for a part of the text
     */
    static void require(String sql) throws SQLFeatureNotSupportedException {
        char quote = 0;
        for (int i = 0; i < sql.length(); i++) {
            char c = sql.charAt(i);
            char next = i + 1 < sql.length() ? sql.charAt(i + 1) : ' ';
            if (quote != 0) {
                if (c == '\\' && (next == quote || next == '\\' && quote != '`')) {
                    throw refused(sql, "a backslash before a quote or another backslash; give the text as a parameter");
                }
                quote = c == quote ? 0 : quote;
            } else if (c == '\'' || c == '"' || c == '`') {
                quote = c;
            } else if (c == '/' && next == '*' && (sql.startsWith("!", i + 2) || sql.startsWith("M!", i + 2))) {
                throw refused(sql, "a comment that the database runs");
            } else if (c == '-' && next == '-' && i + 2 < sql.length() && !Character.isWhitespace(sql.charAt(i + 2))) {
                throw refused(sql, "two minus signs without a space after them");
            } else if (c == '#' && !(next == '>' || next == '-' || next == '#')) {
                throw refused(sql, "a comment with #");
            } else if (c == '$' && (next == '$' || Character.isLetter(next))) {
                throw refused(sql, "a text between dollar signs");
            }
        }
    }

    private static SQLFeatureNotSupportedException refused(String sql, String what) {
        return new SQLFeatureNotSupportedException(
                "Automatic undo refuses what databases read in different ways (" + what + "): " + sql);
    }
}
