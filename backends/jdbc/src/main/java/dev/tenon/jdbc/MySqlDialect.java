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
    static final MySqlDialect MYSQL = new MySqlDialect();

    private MySqlDialect() {
        super("mysql", MariaDbDialect.CLOCK);
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
