package dev.tenon.jdbc;

import dev.tenon.BackendUnavailableException;
import dev.tenon.TenonException;
import dev.tenon.id.RangeExhaustedException;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeDefinition;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Numbers without a gap, such as those of invoices: each is taken inside the caller's own SQL transaction, and is the
 * next one only if that commits.
 *
 * <ul>
 *   <li><b>Unique and without a gap</b> in the sequence's database: a rollback, also one to a savepoint, gives the
 *       number back, and the next transaction gets it. Who reads the committed numbers finds 1 to n at any time.
 *   <li><b>Order:</b> that of the commits.
 *   <li><b>Rate limit:</b> one transaction at a time: from here to its commit or rollback it has the sequence's row to
 *       itself, and the others wait. Take the number last, and commit soon; a thousand transactions a second of one
 *       millisecond each is the most there can be. Where gaps don't matter, use the store of
 *       {@link JdbcBackend#ranges}.
 *   <li><b>Database:</b> what can't go on in this transaction is {@link BackendUnavailableException}: roll back, and
 *       run the transaction again from its start. A database that was restored to an older state loses numbers together
 *       with the rows that have them.
 *   <li><b>Clock:</b> no influence.
 * </ul>
 *
 * <p>A name is either for this or for {@link JdbcBackend#ranges}: what is taken there is missing here. Its start, step
 * and max are those defined there, and {@code raiseTo} there makes it go on after a column that was AUTO_INCREMENT
 * before.
 *
 * <p>Thread-safe; a connection is not, and belongs to one transaction.
 */
public final class GapFreeSequence {
    private final Dialect dialect;
    private final String name;
    private final @Nullable Sql next;
    private final @Nullable Sql take;
    private final Sql lock;
    private final Sql write;

    GapFreeSequence(Dialect dialect, String name) {
        this.dialect = dialect;
        this.name = name;
        this.take = dialect.ownSql(SqlStatement.RANGE_TAKE);
        this.next = take == null ? dialect.ownSql(SqlStatement.RANGE_NEXT) : null;
        this.lock = dialect.sql(SqlStatement.RANGE_LOCK);
        this.write = dialect.sql(SqlStatement.RANGE_WRITE);
    }

    /**
     * The next number, if the caller's transaction commits. Waits for every transaction that took one and has neither
     * committed nor rolled back, as long as the database lets it (MariaDB, MySQL: 50 s, PostgreSQL: without end, H2: 2
     * s, unless set otherwise).
     *
     * @param connection of the database of this backend, within a transaction
     * @throws IllegalStateException if the connection is in autocommit mode
     * @throws RangeExhaustedException if the sequence has reached its max
     * @throws BackendUnavailableException if this transaction can't go on: a deadlock, a lock wait that took too long,
     *     a serialization failure, a broken connection. Nothing happened; roll back and run it again
     * @throws TenonException if the connection's database does not have this sequence
     */
    public long next(Connection connection) {
        try {
            CallersTransaction.require(connection, "A number without a gap");
            OptionalLong taken = take == null ? OptionalLong.empty() : takeOne(connection, take);
            return taken.isPresent()
                    ? taken.getAsLong()
                    : nextRange(connection, 1).first();
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    /**
     * The next {@code count} numbers in a row, or those that are left if the sequence is about to reach its max. Waits
     * and throws as {@link #next} does.
     *
     * @param count 1 or more
     */
    public IdRange nextRange(Connection connection, int count) {
        IdRange.requireCount(count);
        try {
            CallersTransaction.require(connection, "A number without a gap");
            Sql atOnce = next;
            return atOnce == null ? lockAndWrite(connection, count) : take(connection, atOnce, count);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    private IdRange take(Connection connection, Sql atOnce, int count) throws SQLException {
        Row after = read(connection, atOnce, new Args().text("name", name).number("count", count));
        if (after.given == 0) {
            throw exhausted(after);
        }
        long step = after.definition.step();
        return new IdRange(after.last - (after.given - 1) * step, after.given, step);
    }

    /** The next number, where there is one above 0: what the statement sets as last ID comes back with its answer. */
    private OptionalLong takeOne(Connection connection, Sql sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql.text(), Statement.RETURN_GENERATED_KEYS)) {
            new Args().text("name", name).bind(sql, statement);
            if (statement.executeUpdate() == 0) {
                return OptionalLong.empty();
            }
            try (ResultSet key = statement.getGeneratedKeys()) {
                if (!key.next()) {
                    throw new IllegalStateException("The driver does not say which number was taken");
                }
                return OptionalLong.of(key.getLong(1));
            }
        }
    }

    private IdRange lockAndWrite(Connection connection, int count) throws SQLException {
        Row before = read(connection, lock, new Args().text("name", name));
        RangeDefinition definition = before.definition;
        if (before.last > definition.max() - definition.step()) {
            throw exhausted(before);
        }
        long first = before.last + definition.step();
        long given = Math.min(count, (definition.max() - first) / definition.step() + 1);
        IdRange range = new IdRange(first, given, definition.step());
        Args args = new Args().text("name", name).number("before", before.last).number("last", range.last());
        try (PreparedStatement statement = connection.prepareStatement(write.text())) {
            args.bind(write, statement);
            if (statement.executeUpdate() != 1) {
                throw new IllegalStateException("Sequence \"" + name + "\" moved under its lock");
            }
        }
        return range;
    }

    private record Row(RangeDefinition definition, long last, long given) {}

    private Row read(Connection connection, Sql sql, Args args) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql.text())) {
            args.bind(sql, statement);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw new TenonException(
                            "Sequence \"" + name + "\" is not in this connection's database, or is not there any more");
                }
                return new Row(
                        new RangeDefinition(
                                row.getLong("start_value"), row.getLong("step_size"), row.getLong("max_value")),
                        row.getLong("last_given"),
                        row.getLong("given"));
            }
        }
    }

    private RangeExhaustedException exhausted(Row row) {
        return new RangeExhaustedException("Sequence \"" + name + "\" is used up: its last number is " + row.last
                + " and its max " + row.definition.max());
    }

    private TenonException failed(SQLException e) {
        String target = "sequence \"" + name + "\"";
        return CallersTransaction.failed(dialect, e, target, "No number of " + target);
    }
}
