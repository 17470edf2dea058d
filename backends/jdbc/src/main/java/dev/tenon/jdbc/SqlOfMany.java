package dev.tenon.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A statement about many rows: in its file, what stands once for each of them is between {@code {each}} and
 * {@code {end}}. No parameters stand elsewhere.
 *
 * @param sql the statement
 */
record SqlOfMany(Sql sql) {
    private static final String EACH = "{each}";
    private static final String END = "{end}";

    /** The statement for so many rows, at least one. */
    String text(int rows) {
        String text = sql.text();
        int each = text.indexOf(EACH);
        int end = text.indexOf(END);
        String one = text.substring(each + EACH.length(), end);
        return text.substring(0, each)
                + String.join(", ", Collections.nCopies(rows, one))
                + text.substring(end + END.length());
    }

    /** The statement, with the values of every row. */
    PreparedStatement prepare(Connection connection, List<Args> rows) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(text(rows.size()));
        try {
            int next = 1;
            for (Args row : rows) {
                next = row.bind(sql, statement, next);
            }
            return statement;
        } catch (SQLException | RuntimeException e) {
            statement.close();
            throw e;
        }
    }

    /** Parts of a list, in its order, each of so many at most. */
    static <T> List<List<T>> parts(List<T> all, int most) {
        List<List<T>> parts = new ArrayList<>();
        for (int from = 0; from < all.size(); from += most) {
            parts.add(all.subList(from, Math.min(from + most, all.size())));
        }
        return parts;
    }
}
