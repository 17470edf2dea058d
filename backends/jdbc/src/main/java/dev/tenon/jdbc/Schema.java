package dev.tenon.jdbc;

import dev.tenon.TenonException;
import java.sql.SQLException;
import java.util.List;

/** Makes sure, once a backend, that the tables are there. Thread-safe. */
final class Schema {
    /** The number of the last script. */
    private static final int VERSION = 1;

    private final Dialect dialect;
    private final boolean create;
    private final Sql version;
    private volatile boolean known;

    Schema(Dialect dialect, boolean create) {
        this.dialect = dialect;
        this.create = create;
        this.version = dialect.sql("schema-version");
    }

    /** Looks for the tables, and makes them if it may; later calls do nothing. */
    void ensure(Link link) throws SQLException {
        if (known) {
            return;
        }
        if (!isThere(link)) {
            if (!create) {
                throw new TenonException(
                        "Tenon's tables are not in this database, and the backend was told not to create"
                                + " them: run dev/tenon/jdbc/" + dialect.folder() + "/schema/*.sql of tenon-jdbc.jar");
            }
            for (String script : dialect.schema()) {
                run(link, script);
            }
        }
        known = true;
    }

    private boolean isThere(Link link) throws SQLException {
        try {
            List<Long> found = link.query(version, new Args(), row -> row.getLong(1));
            return !found.isEmpty() && found.get(0) >= VERSION;
        } catch (SQLException e) {
            if (dialect.failure(e) == Failure.WRONG) {
                return false;
            }
            throw e;
        }
    }

    private static void run(Link link, String script) throws SQLException {
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
