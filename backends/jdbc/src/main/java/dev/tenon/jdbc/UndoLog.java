package dev.tenon.jdbc;

import dev.tenon.tx.BranchCall;
import dev.tenon.tx.TransactionId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * The tables of automatic undo: {@code tenon_undo} has what each branch did, {@code tenon_row_lock} which rows belong
 * to a transaction that has not ended. Every call is part of a local transaction of its caller. Thread-safe.
 */
final class UndoLog {
    private final Dialect dialect;
    private final UndoRowLocks locks;
    private final Sql lockDelete;
    private final Sql undoInsert;
    private final Sql undoRead;
    private final Sql undoDelete;
    private final Map<String, UndoTable> tables = new ConcurrentHashMap<>();

    UndoLog(Dialect dialect) {
        this.dialect = dialect;
        this.locks = new UndoRowLocks(dialect);
        this.lockDelete = dialect.sql(SqlStatement.ROW_LOCK_DELETE);
        this.undoInsert = dialect.sql(SqlStatement.UNDO_INSERT);
        this.undoRead = dialect.sql(SqlStatement.UNDO_READ);
        this.undoDelete = dialect.sql(SqlStatement.UNDO_DELETE);
    }

    Dialect dialect() {
        return dialect;
    }

    UndoTable table(Connection connection, String name) throws SQLException {
        UndoTable known = tables.get(name);
        if (known == null) {
            known = UndoTable.read(connection, dialect, name);
            tables.put(name, known);
        }
        return known;
    }

    /** Lets the columns of a table be asked for anew. */
    void forgetTable(String name) {
        tables.remove(name);
    }

    /**
     * Locks rows until the transaction has ended.
     *
     * @param closed whether another transaction was closed as it is: then nobody will end its branches, and its rows
     *     are free
     * @throws SQLTransientException if one belongs to another transaction
     */
    void lock(
            Connection connection,
            BranchCall call,
            UndoTable table,
            List<UndoRow> rows,
            Predicate<TransactionId> closed)
            throws SQLException {
        locks.take(connection, call, table, rows, closed);
    }

    void save(Connection connection, BranchCall call, List<UndoImage> images) throws SQLException {
        long number = 0;
        for (UndoImage image : UndoImage.merged(images)) {
            update(
                    connection,
                    undoInsert,
                    key(call)
                            .number("number", number++)
                            .text("kind", image.kind().name().toLowerCase(Locale.ROOT))
                            .text("target", image.table().name())
                            .text("before", UndoRow.write(image.before()))
                            .text("after", UndoRow.write(image.after())));
        }
    }

    /** What a branch did, the last first. */
    List<UndoImage> load(Connection connection, BranchCall call) throws SQLException {
        record Row(String kind, String table, String before, String after) {}
        List<Row> rows = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement(undoRead.text())) {
            key(call).bind(undoRead, query);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    rows.add(new Row(row.getString(1), row.getString(2), row.getString(3), row.getString(4)));
                }
            }
        }
        rows.forEach(row -> forgetTable(row.table())); // what is written back goes into the table as it is now
        List<UndoImage> images = new ArrayList<>();
        for (Row row : rows) {
            images.add(new UndoImage(
                    UndoStatement.Kind.valueOf(row.kind().toUpperCase(Locale.ROOT)),
                    table(connection, row.table()),
                    UndoRow.parse(row.before()),
                    UndoRow.parse(row.after())));
        }
        return images;
    }

    /** Forgets what a branch did, and frees its rows. */
    void forget(Connection connection, BranchCall call) throws SQLException {
        update(connection, undoDelete, key(call));
        update(connection, lockDelete, key(call));
    }

    private static Args key(BranchCall call) {
        return new Args().text("gid", call.gid().text()).text("branch", call.branch());
    }

    private static void update(Connection connection, Sql sql, Args args) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql.text())) {
            args.bind(sql, statement);
            statement.executeUpdate();
        }
    }
}
