package dev.tenon.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * MySQL, with statements that it shares with the others: a read, the Java state machine, a write under the row's version;
 * so two round trips where MariaDB takes one, and timers instead of a bell. The tests run all of it but the schema on the
 * other databases; no MySQL server has seen it.
 */
final class MySqlDialect extends Dialect {
    /** What MySQL shows where MariaDB has another table; where neither is shown, the tables alone tell. */
    private static final String INCARNATION = MariaDbDialect.text("CONCAT(@@hostname, ' ', COALESCE("
            + "(SELECT UNIX_TIMESTAMP() - CAST(s.variable_value AS SIGNED) FROM performance_schema.global_status s"
            + " WHERE s.variable_name = 'Uptime'), ''), ' ', " + MariaDbDialect.TABLE_MADE + ")");

    static final MySqlDialect MYSQL = new MySqlDialect();

    private MySqlDialect() {
        super("mysql", MariaDbDialect.CLOCK, new Incarnation(INCARNATION, INCARNATION));
    }

    @Override
    Properties driverProperties() {
        return properties(
                "connectTimeout",
                "5000",
                "socketTimeout",
                "10000",
                "tcpKeepAlive",
                "true",
                "useServerPrepStmts",
                "true");
    }

    @Override
    UndoColumn undoColumn(String name, int type, String typeName) {
        return MariaDbDialect.column(name, type, typeName);
    }

    @Override
    @Nullable
    UndoColumn undoColumnInUtc(UndoColumn column, String typeName) {
        return MariaDbDialect.inUtc(column, typeName);
    }

    @Override
    boolean rollsBack(SQLException e, Connection connection) throws SQLException {
        return MariaDbDialect.takesBack(e, connection);
    }

    @Override
    Failure failure(SQLException e) {
        return MariaDbDialect.meaning(e, super.failure(e));
    }

    @Override
    boolean countsUpFromZero() {
        return true;
    }
}
