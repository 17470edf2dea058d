package dev.tenon.jdbc;

import dev.tenon.tx.BranchCall;
import dev.tenon.tx.TransactionId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Which rows belong to a transaction that has not ended: {@code tenon_row_lock}. Rows are taken many at a time, and
 * nobody waits for one that is another's. Every call is part of a local transaction of its caller. Thread-safe.
 */
final class UndoRowLocks {
    /** Rows in one statement. */
    private static final int MOST = 1_000;

    /** How often a row is found taken, and free a moment later. */
    private static final int TRIES = 10;

    private final SqlOfMany insert;
    private final SqlOfMany read;
    private final Sql release;
    private final Sql forget;

    UndoRowLocks(Dialect dialect) {
        this.insert = new SqlOfMany(dialect.sql(SqlStatement.ROW_LOCK_INSERT));
        this.read = new SqlOfMany(dialect.sql(SqlStatement.ROW_LOCK_READ));
        this.release = dialect.sql(SqlStatement.ROW_LOCK_RELEASE);
        this.forget = dialect.sql(SqlStatement.UNDO_RELEASE);
    }

    /**
     * Takes rows until the transaction has ended.
     *
     * @param closed whether a transaction was given up, and its rows are free as they are
     * @throws SQLTransientException if one belongs to another transaction
     */
    void take(
            Connection connection,
            BranchCall call,
            UndoTable table,
            List<UndoRow> rows,
            Predicate<TransactionId> closed)
            throws SQLException {
        for (List<UndoRow> part : SqlOfMany.parts(rows, MOST)) {
            Map<String, String> open = new LinkedHashMap<>();
            part.forEach(row -> open.put(table.lockKey(row), table.describe(row)));
            for (int tries = 0; !open.isEmpty() && insert(connection, call, open) < open.size(); tries++) {
                Map<String, String> owners = owners(connection, open);
                releaseOrRefuse(connection, call, open, owners, closed);
                String own = call.gid().text();
                open.keySet().removeIf(key -> own.equals(owners.get(key)));
                if (!open.isEmpty() && tries == TRIES) {
                    throw new SQLTransientException(
                            open.values().iterator().next() + " is taken and freed by others all the time: roll back,"
                                    + " and try again later",
                            "40001");
                }
            }
        }
    }

    private int insert(Connection connection, BranchCall call, Map<String, String> rows) throws SQLException {
        List<Args> all = new ArrayList<>();
        rows.forEach((key, about) -> all.add(new Args()
                .text("row", key)
                .text("gid", call.gid().text())
                .text("branch", call.branch())
                .text("about", shortened(about))));
        try (PreparedStatement statement = insert.prepare(connection, all)) {
            return statement.executeUpdate();
        }
    }

    private Map<String, String> owners(Connection connection, Map<String, String> rows) throws SQLException {
        List<Args> all =
                rows.keySet().stream().map(key -> new Args().text("row", key)).toList();
        Map<String, String> owners = new HashMap<>();
        try (PreparedStatement query = read.prepare(connection, all);
                ResultSet row = query.executeQuery()) {
            while (row.next()) {
                owners.put(row.getString(1), row.getString(2));
            }
        }
        return owners;
    }

    /** Frees the rows of those that were closed as they are; the first row of any other is told. */
    private void releaseOrRefuse(
            Connection connection,
            BranchCall call,
            Map<String, String> rows,
            Map<String, String> owners,
            Predicate<TransactionId> closed)
            throws SQLException {
        Set<String> free = new HashSet<>(Set.of(call.gid().text()));
        for (Map.Entry<String, String> row : rows.entrySet()) {
            String owner = owners.get(row.getKey());
            if (owner == null || free.contains(owner)) {
                continue;
            }
            if (!closed.test(new TransactionId(owner))) {
                throw new SQLTransientException(
                        row.getValue() + " belongs to transaction " + owner
                                + ", which has not ended: roll back, and try again later",
                        "40001");
            }
            free.add(owner);
            for (Sql sql : List.of(release, forget)) {
                try (PreparedStatement statement = connection.prepareStatement(sql.text())) {
                    new Args().text("gid", owner).bind(sql, statement);
                    statement.executeUpdate();
                }
            }
        }
    }

    private static String shortened(String text) {
        return text.length() <= 200 ? text : text.substring(0, 199) + "…";
    }
}
