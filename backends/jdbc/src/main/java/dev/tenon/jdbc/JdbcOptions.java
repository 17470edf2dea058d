package dev.tenon.jdbc;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * How a {@link JdbcBackend} behaves. Immutable.
 *
 * @param createTables whether tables that are missing are created at the first use; if not, run the scripts in {@code
 *     dev/tenon/jdbc/<database>/schema} of the jar
 * @param connections most connections for calls at a time, 1 to 1000; listening for hand-overs takes one more
 *     (PostgreSQL) or two (MariaDB)
 * @param forgetAfter how long the row of a lock stays that nobody uses
 * @param dialect of a database that Tenon does not know; empty to find it by the URL, or by asking the database
 */
public record JdbcOptions(boolean createTables, int connections, Duration forgetAfter, Optional<SqlDialect> dialect) {
    /** Tables are created, eight connections, rows stay for a minute. */
    public static final JdbcOptions DEFAULT = new JdbcOptions(true, 8, Duration.ofMinutes(1));

    public JdbcOptions {
        if (connections < 1 || connections > 1000) {
            throw new IllegalArgumentException("Connections must be between 1 and 1000: " + connections);
        }
        Objects.requireNonNull(forgetAfter, "forgetAfter");
        if (forgetAfter.isNegative() || forgetAfter.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException("Forget must be after between zero and a day: " + forgetAfter);
        }
        dialect.ifPresent(PluggedDialect::new); // refuses one that is incomplete
    }

    /** As the canonical one, for the databases that Tenon knows. */
    public JdbcOptions(boolean createTables, int connections, Duration forgetAfter) {
        this(createTables, connections, forgetAfter, Optional.empty());
    }

    /** The same with another {@link #createTables}. */
    public JdbcOptions withCreateTables(boolean create) {
        return new JdbcOptions(create, connections, forgetAfter, dialect);
    }

    /** The same with another {@link #connections}. */
    public JdbcOptions withConnections(int most) {
        return new JdbcOptions(createTables, most, forgetAfter, dialect);
    }

    /** The same with another {@link #forgetAfter}. */
    public JdbcOptions withForgetAfter(Duration after) {
        return new JdbcOptions(createTables, connections, after, dialect);
    }

    /**
     * The same for a database of this dialect, whatever the URL.
     *
     * @throws IllegalArgumentException if the dialect lacks a statement or a parameter of one; the message lists each
     */
    public JdbcOptions withDialect(SqlDialect other) {
        return new JdbcOptions(createTables, connections, forgetAfter, Optional.of(other));
    }
}
