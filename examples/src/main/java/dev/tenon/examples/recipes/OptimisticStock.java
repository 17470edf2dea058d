package dev.tenon.examples.recipes;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The optimistic way: no lock at all; who writes says which version it has read, and is refused if that is gone. */
final class OptimisticStock {
    private final Connection connection;

    OptimisticStock(Connection connection) {
        this.connection = connection;
    }

    /** What was read. */
    record Seen(int left, int version) {}

    // tag::optimistic[]
    /** How many attempts it took. */
    int sell(long id, int attemptsMax) throws SQLException {
        for (int attempt = 1; attempt <= attemptsMax; attempt++) {
            Seen seen = read(id);
            if (save(id, seen, seen.left() - 1)) {
                return attempt;
            }
        }
        throw new IllegalStateException("Others were faster " + attemptsMax + " times");
    }

    /** False: another has written since. */
    boolean save(long id, Seen seen, int left) throws SQLException {
        String sql = "UPDATE recipe_stock SET n = ?, version = version + 1 WHERE id = ? AND version = ?";
        return update(sql, left, id, seen.version());
    }
    // end::optimistic[]

    /** The same without a version. */
    // tag::by-value[]
    boolean saveByValue(long id, Seen seen, int left) throws SQLException {
        return update("UPDATE recipe_stock SET n = ? WHERE id = ? AND n = ?", left, id, seen.left());
    }
    // end::by-value[]

    Seen read(long id) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT n, version FROM recipe_stock WHERE id = ?")) {
            statement.setLong(1, id);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return new Seen(row.getInt(1), row.getInt(2));
            }
        }
    }

    private boolean update(String sql, int left, long id, int expected) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setInt(1, left);
            statement.setLong(2, id);
            statement.setInt(3, expected);
            return statement.executeUpdate() == 1;
        }
    }
}
