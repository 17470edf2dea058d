package dev.tenon.jdbc;

import java.time.Duration;
import java.util.Objects;

/**
 * How a {@link JdbcBackend} behaves. Immutable.
 *
 * @param createTables whether tables that are missing are created at the first use; if not, run the scripts in {@code
 *     dev/tenon/jdbc/<database>/schema} of the jar
 * @param connections most connections for calls at a time, 1 to 1000; listening for hand-overs takes one more
 *     (PostgreSQL) or two (MariaDB)
 * @param forgetAfter how long the row of a lock stays that nobody uses
 */
public record JdbcOptions(boolean createTables, int connections, Duration forgetAfter) {
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
    }

    /** The same with another {@link #createTables}. */
    public JdbcOptions withCreateTables(boolean create) {
        return new JdbcOptions(create, connections, forgetAfter);
    }

    /** The same with another {@link #connections}. */
    public JdbcOptions withConnections(int most) {
        return new JdbcOptions(createTables, most, forgetAfter);
    }

    /** The same with another {@link #forgetAfter}. */
    public JdbcOptions withForgetAfter(Duration after) {
        return new JdbcOptions(createTables, connections, after);
    }
}
