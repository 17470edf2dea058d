package dev.tenon.jdbc;

import java.sql.SQLFeatureNotSupportedException;

/** Refuses what a parser and a database may read in two ways: what is judged must be what runs. */
final class UndoText {
    private final String sql;
    private final boolean mySql;
    private final StringBuilder bare = new StringBuilder();

    private UndoText(String sql, boolean mySql) {
        this.sql = sql;
        this.mySql = mySql;
    }

    /**
     * Looks through a statement.
     *
     * @param mySql whether the database speaks MySQL, for which {@code #} begins a comment in any place
     * @return the statement, with a space for each comment and nothing in its texts
     * @throws SQLFeatureNotSupportedException if there is a comment that some databases run, one that some don't take
     *     for a comment, or a quote that some take for a part of the text
     */
    static String require(String sql, boolean mySql) throws SQLFeatureNotSupportedException {
        return new UndoText(sql, mySql).read();
    }

    private String read() throws SQLFeatureNotSupportedException {
        int i = 0;
        while (i < sql.length()) {
            char c = sql.charAt(i);
            char next = i + 1 < sql.length() ? sql.charAt(i + 1) : ' ';
            if (c == '\'' || c == '"' || c == '`') {
                i = quoted(i);
            } else if (c == '/' && next == '*') {
                i = comment(i);
            } else if (c == '-' && next == '-') {
                i = line(i);
            } else {
                requireOneMeaning(c, next);
                bare.append(c);
                i++;
            }
        }
        return bare.toString();
    }

    private void requireOneMeaning(char c, char next) throws SQLFeatureNotSupportedException {
        if (c == '#' && (mySql || !(next == '>' || next == '-' || next == '#'))) {
            throw refused("a comment with #");
        }
        if (c == '$' && (next == '$' || Character.isLetter(next))) {
            throw refused("a text between dollar signs");
        }
    }

    /** A text, or a name; a quote that is doubled ends one and begins another, which comes to the same. */
    private int quoted(int from) throws SQLFeatureNotSupportedException {
        char quote = sql.charAt(from);
        int i = from + 1;
        while (i < sql.length() && sql.charAt(i) != quote) {
            char next = i + 1 < sql.length() ? sql.charAt(i + 1) : ' ';
            if (sql.charAt(i) == '\\' && (next == quote || next == '\\' && quote != '`')) {
                throw refused("a backslash before a quote or another backslash; give the text as a parameter");
            }
            i++;
        }
        int end = Math.min(i + 1, sql.length());
        bare.append(quote == '\'' ? "''" : sql.substring(from, end));
        return end;
    }

    private int comment(int from) throws SQLFeatureNotSupportedException {
        int end = sql.indexOf("*/", from + 2);
        if (sql.startsWith("!", from + 2) || sql.startsWith("M!", from + 2)) {
            throw refused("a comment that the database runs");
        }
        if (end < 0 || sql.substring(from + 2, end).contains("/*")) {
            throw refused("a comment without an end, or within another");
        }
        bare.append(' ');
        return end + 2;
    }

    private int line(int from) throws SQLFeatureNotSupportedException {
        if (from + 2 < sql.length() && !Character.isWhitespace(sql.charAt(from + 2))) {
            throw refused("two minus signs without a space after them");
        }
        int end = sql.indexOf('\n', from);
        String comment = sql.substring(from, end < 0 ? sql.length() : end);
        if (comment.stripTrailing().indexOf('\r') >= 0) {
            throw refused("a carriage return in a comment");
        }
        bare.append(' ');
        return end < 0 ? sql.length() : end;
    }

    private SQLFeatureNotSupportedException refused(String what) {
        return new SQLFeatureNotSupportedException(
                "Automatic undo refuses what databases read in different ways (" + what + "): " + sql);
    }
}
