package dev.tenon.jdbc;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What differs from one database to the next. Implement it for a database that Tenon does not know, and give it to
 * {@link JdbcOptions#withDialect}, which refuses a dialect that lacks something and lists what; the contracts of
 * {@code tenon-testkit} then say whether the database does what its statements claim.
 * {@code docs/contributing/dialect.md} has an example.
 *
 * <p>A dialect of another author's can do without two things that Tenon's own have: waiters in other processes are not
 * woken, but poll, and there is no automatic undo.
 *
 * <p>Texts of statements have named parameters ({@code :name}); lines that begin with {@code --} are comments.
 * {@code {clock}}, {@code {incarnation}}, {@code {incarnationWritten}} and {@code {stride}} (the distance between
 * blocks of fencing tokens) are replaced; in {@link SqlStatement#TX_BEGIN} and {@link SqlStatement#TX_WRITE} also
 * {@code {begin}}, {@code {commit}} and {@code {alone}} (1 for a transaction of their own, else 0).
 *
 * <p>Implementations must be thread-safe and answer always the same: Tenon keeps the answers.
 */
public interface SqlDialect {
    /**
     * The dialect that Tenon has for a JDBC URL, to base another one on. Those for MariaDB and MySQL have optional
     * statements that need more than the text (stored routines, waiters that are woken): a dialect that is based on one
     * gives its own, or none.
     *
     * @param url which begins with {@code jdbc:h2:}, {@code jdbc:mariadb:}, {@code jdbc:mysql:} or
     *     {@code jdbc:postgresql:}
     * @throws IllegalArgumentException if there is no dialect for the URL
     */
    static SqlDialect of(String url) {
        return Dialect.ofUrl(url);
    }

    /** The database's name, for messages: {@code PostgreSQL}. */
    String name();

    /**
     * An expression for the microseconds since 1970-01-01T00:00:00Z, whatever the session's time zone, as a whole
     * number. It is the moment of the statement or of its transaction, by the clock of the database.
     */
    String clock();

    /**
     * An expression for a text that changes with each event after which a database may have forgotten what it has
     * committed: it was started, failed over to a standby, or restored. {@code ''} only if the database can't outlive
     * its users. In it, {@code g} is the row of a group of worker IDs. On a change, worker IDs are not given until the
     * longest lease is over.
     */
    String incarnation();

    /**
     * An expression to write in such a row, which {@link #incarnation} then gives; the same unless it depends on the
     * row.
     */
    default String incarnationWritten() {
        return incarnation();
    }

    /**
     * The text of a statement. Empty to use the common one ({@link SqlStatement.Need#COMMON}) or to do without
     * ({@link SqlStatement.Need#OPTIONAL}). The common ones use {@code LIMIT}, {@code FOR UPDATE SKIP LOCKED},
     * {@code GREATEST}, and {@code SELECT} without {@code FROM}.
     */
    Optional<String> source(SqlStatement statement);

    /**
     * The scripts that make the tables, in their order, each a step from one version of Tenon's tables to the next,
     * which notes its number in {@code tenon_schema}: as many as the dialects have that Tenon comes with
     * ({@code dev/tenon/jdbc/h2/schema} in the jar), with the same tables and columns. Each statement ends with a
     * semicolon at the end of a line. A script may be run again if it broke off, or by two processes at once.
     */
    List<String> schema();

    /**
     * What an error means. An error in doubt is {@link SqlFailure#BROKEN}: the caller then learns that the outcome is
     * unknown.
     */
    SqlFailure failure(SQLException e);

    /** What to tell the driver, unless the URL says otherwise, such as its timeouts; by default nothing. */
    default Map<String, String> driverProperties() {
        return Map.of();
    }
}
