package dev.tenon.jdbc;

import dev.tenon.BackendUnavailableException;
import dev.tenon.Names;
import dev.tenon.TenonException;
import dev.tenon.lock.StaleTokenException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * Has the database refuse the writes of holders whose lease is over: inside the caller's own SQL transaction, the
 * greatest token that a resource was ever shown is kept in the row of that resource in {@code tenon_fence_guard}, and a
 * smaller one is a {@link StaleTokenException}.
 *
 * <ul>
 *   <li><b>Promise:</b> of two transactions that check the same resource and commit, the one with the smaller token
 *       commits first. The row stays locked from the check to the commit or rollback, so a holder that is paused
 *       between the two makes the next one wait, and never writes behind its back. Equal tokens pass: a holder may
 *       write more than once.
 *   <li><b>Check first,</b> before anything is read that the write depends on: what was read before the check may be
 *       changed by an older holder until the check.
 *   <li><b>Rollback:</b> what was checked is forgotten. It is the commit that shows the token.
 *   <li><b>Not promised:</b> anything about writes that do not check, or check another resource. Who does without a
 *       table of its own for this guards a column of the row itself ({@code docs/locks/fencing.md}).
 *   <li><b>Database:</b> what can't go on in this transaction is {@link BackendUnavailableException}: roll back, and
 *       run the transaction again from its start. One that loses what it had committed loses the greatest token too.
 *   <li><b>Clock:</b> no influence.
 * </ul>
 *
 * <p>All tokens of a resource must come from one lock of one store: tokens of different kinds of store don't compare.
 * Rows are never deleted here; delete that of a resource which is no more in your own transaction. The idea is that of
 * Burrows, "The Chubby lock service" (OSDI 2006), 2.4: a sequencer that the resource checks.
 *
 * <p>Thread-safe; a connection is not, and belongs to one transaction.
 */
public final class JdbcFence {
    private final Dialect dialect;
    private final @Nullable Sql raise;
    private final @Nullable Sql write;
    private final Sql lock;

    JdbcFence(Dialect dialect) {
        this.write = dialect.ownSql(SqlStatement.GUARD_WRITE);
        this.raise = dialect.ownSql(SqlStatement.GUARD_RAISE);
        this.dialect = dialect;
        this.lock = dialect.sql(SqlStatement.GUARD_LOCK);
    }

    /**
     * Shows a token to a resource. One round trip. Waits for every transaction that has checked the same
     * resource and has neither committed nor rolled back, as long as the database lets it (MariaDB, MySQL: 50 s,
     * PostgreSQL: without end, H2: 2 s, unless set otherwise).
     *
     * @param connection of the database of this backend, within a transaction
     * @param resource a name ({@link Names}), such as that of the lock
     * @param token of the holder's lease, above 0
     * @throws StaleTokenException if the resource has seen a greater one; roll the transaction back, and don't run it
     *     again
     * @throws IllegalStateException if the connection is in autocommit mode
     * @throws IllegalArgumentException if that is no name, or no token
     * @throws BackendUnavailableException if this transaction can't go on: a deadlock, a lock wait that took too long,
     *     a serialization failure, a broken connection. Nothing happened; roll back and run it again
     * @throws TenonException if the connection's database does not have Tenon's tables
     */
    public void check(Connection connection, String resource, long token) {
        Names.requireValid("resource name", resource);
        if (token <= 0) {
            throw new IllegalArgumentException("No fencing token: " + token);
        }
        long greatest;
        try {
            CallersTransaction.require(connection, "A fence");
            greatest = show(connection, new Args().text("resource", resource).number("token", token));
        } catch (SQLException e) {
            throw CallersTransaction.failed(
                    dialect, e, "the fence of \"" + resource + "\"", "No fence for \"" + resource + "\"");
        }
        if (greatest > token) {
            throw new StaleTokenException(resource, token, greatest);
        }
    }

    private long show(Connection connection, Args shown) throws SQLException {
        Sql atOnce = raise;
        if (atOnce != null) {
            return read(connection, atOnce, shown);
        }
        Sql first = write;
        if (first != null) {
            // What it sets as last ID comes back with its answer; but for a driver that is told to count only changed
            // rows.
            try (PreparedStatement statement =
                    connection.prepareStatement(first.text(), Statement.RETURN_GENERATED_KEYS)) {
                shown.bind(first, statement);
                statement.executeUpdate();
                try (ResultSet key = statement.getGeneratedKeys()) {
                    if (key.next()) {
                        return key.getLong(1);
                    }
                }
            }
        }
        return read(connection, lock, shown);
    }

    private static long read(Connection connection, Sql sql, Args args) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql.text())) {
            args.bind(sql, statement);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw new IllegalStateException(sql.id() + " has no answer, where there must be one");
                }
                return row.getLong(1);
            }
        }
    }
}
