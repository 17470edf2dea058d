package dev.tenon.jdbc;

import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Operation;
import dev.tenon.tx.spi.BarrierStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The barrier in the table {@code tenon_barrier}. A row is written by an upsert, which waits for whoever writes the
 * same one, and says who was first: one round trip (MySQL: two for a call that was here before).
 */
final class JdbcBarrierStore implements BarrierStore {
    private final SqlCalls sql;
    private final @Nullable Sql insert;
    private final @Nullable Sql write;
    private final Sql read;
    private final Sql result;
    private final Sql purgeLock;
    private final Sql delete;

    JdbcBarrierStore(SqlCalls sql, Dialect dialect) {
        this.sql = sql;
        this.write = dialect.ownSql(SqlStatement.BARRIER_WRITE);
        this.insert = dialect.ownSql(SqlStatement.BARRIER_INSERT);
        this.read = dialect.sql(SqlStatement.BARRIER_READ);
        this.result = dialect.sql(SqlStatement.BARRIER_RESULT);
        this.purgeLock = dialect.sql(SqlStatement.BARRIER_PURGE_LOCK);
        this.delete = dialect.sql(SqlStatement.BARRIER_DELETE);
    }

    @Override
    public Optional<Row> insert(Connection connection, BranchCall call, Operation operation) throws SQLException {
        return insert(new Link(connection), call, operation);
    }

    @Override
    public Optional<Row> insert(Connection connection, BranchCall call, Operation operation, Duration patience)
            throws SQLException {
        return insert(Link.impatient(connection, Math.toIntExact(patience.toSeconds())), call, operation);
    }

    private Optional<Row> insert(Link link, BranchCall call, Operation operation) throws SQLException {
        Args args = key(call, operation).text("by", call.operation().text());
        try {
            if (insert != null) {
                return before(link, insert, args, operation);
            }
            // One row if it is new, two if it was changed.
            if (write != null && link.update(write, args) == 1) {
                return Optional.empty();
            }
            return before(link, read, args, operation);
        } finally {
            link.closeStatements();
        }
    }

    private static Optional<Row> before(Link link, Sql statement, Args args, Operation operation) throws SQLException {
        record Found(Row row, boolean before) {}
        List<Found> found =
                link.query(statement, args, row -> new Found(row(operation, row), row.getLong("repeats") > 0));
        if (found.isEmpty()) {
            throw new SQLException("The row of the barrier is gone that was written just now", "40001");
        }
        return found.stream().filter(Found::before).map(Found::row).findFirst();
    }

    private static Row row(Operation operation, ResultSet row) throws SQLException {
        return new Row(operation, Operation.of(row.getString("written_by")), row.getString("result"));
    }

    @Override
    public void result(Connection connection, BranchCall call, String text) throws SQLException {
        Link link = new Link(connection);
        try {
            link.update(result, key(call, call.operation()).text("result", TransactionText.storable(text)));
        } finally {
            link.closeStatements();
        }
    }

    @Override
    public int purge(Duration age, int limit) {
        if (limit < 1 || limit > 10_000 || age.isNegative()) {
            throw new IllegalArgumentException(
                    "A limit of 1 to 10000 and an age of zero or more are needed, not " + limit + " and " + age);
        }
        Args args = new Args().number("age", LockRow.micros(age)).number("limit", limit);
        return sql.run((link, doubt) -> link.atomically(() -> {
            List<Args> old = link.query(
                    purgeLock,
                    args,
                    row -> key(row.getString("gid"), row.getString("branch"), row.getString("operation")));
            if (!old.isEmpty()) {
                link.batch(delete, old);
            }
            return old.size();
        }));
    }

    private static Args key(BranchCall call, Operation operation) {
        return key(call.gid().text(), call.branch(), operation.text());
    }

    private static Args key(String gid, String branch, String operation) {
        return new Args().text("gid", gid).text("branch", branch).text("operation", operation);
    }
}
