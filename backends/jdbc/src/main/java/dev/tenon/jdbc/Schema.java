package dev.tenon.jdbc;

import dev.tenon.TenonException;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes sure, once a backend, that the tables are there. Thread-safe. */
final class Schema {
    private static final int RACES_MAX = 50;

    private final Dialect dialect;
    private final Shortcuts shortcuts;
    private final boolean create;
    private final Sql version;
    private final AtomicInteger races = new AtomicInteger();
    private volatile boolean known;

    /** @param shortcuts are looked for when the tables are */
    Schema(Dialect dialect, Shortcuts shortcuts, boolean create) {
        this.dialect = dialect;
        this.shortcuts = shortcuts;
        this.create = create;
        this.version = dialect.sql(SqlStatement.SCHEMA_VERSION);
    }

    /** For calls that need none of Tenon's own tables. */
    static Schema notNeeded(Dialect dialect) {
        Schema schema = new Schema(dialect, new Shortcuts(dialect, true), false);
        schema.known = true;
        return schema;
    }

    /** Looks for the tables, and makes them if it may; later calls do nothing. */
    void ensure(Link link) throws SQLException {
        if (known) {
            return;
        }
        dialect.requireFits(link.connection().getMetaData());
        if (!isThere(link)) {
            if (!create) {
                throw new TenonException(
                        "Tenon's tables are not all in this database, and the backend was told not to create"
                                + " them: run " + dialect.place("schema/*.sql"));
            }
            create(link);
        }
        shortcuts.prepare(link, create);
        known = true;
    }

    /** Databases differ in what two sessions that make the same thing at once are told, and no telling is good. */
    private void create(Link link) throws SQLException {
        try {
            for (String script : dialect.schema()) {
                run(link, script);
            }
        } catch (SQLException e) {
            if (dialect.failure(e) == SqlFailure.WRONG && races.incrementAndGet() <= RACES_MAX) {
                throw new SQLException("Somebody else may be at it: " + e.getMessage(), "40001", e);
            }
            throw e;
        }
    }

    private boolean isThere(Link link) throws SQLException {
        try {
            List<Long> found = link.query(version, new Args(), row -> row.getLong(1));
            return !found.isEmpty() && found.get(0) >= dialect.schema().size();
        } catch (SQLException e) {
            if (dialect.failure(e) == SqlFailure.WRONG) {
                return false;
            }
            throw e;
        }
    }

    /** Runs a script of statements that each end a line with a semicolon. */
    static void run(Link link, String script) throws SQLException {
        StringBuilder statement = new StringBuilder();
        for (String line : script.lines().toList()) {
            if (line.startsWith("--")) {
                continue;
            }
            statement.append(line).append('\n');
            if (line.endsWith(";")) {
                statement.setLength(statement.length() - 2);
                link.execute(statement.toString());
                statement.setLength(0);
            }
        }
    }
}
