package dev.tenon.jdbc;

import dev.tenon.lock.spi.StoreTraits;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * MySQL 8.0.29 or newer: what is a script of one round trip in MariaDB is a stored routine here, and where it may not be called, several
 * statements; a bell rung by {@code KILL QUERY}.
 */
final class MySqlDialect extends Dialect {
    /** What MySQL shows where MariaDB has another table; where neither is shown, the tables alone tell. */
    private static final String INCARNATION = MariaDbDialect.text("CONCAT(@@hostname, ' ', COALESCE("
            + "(SELECT UNIX_TIMESTAMP() - CAST(s.variable_value AS SIGNED) FROM performance_schema.global_status s"
            + " WHERE s.variable_name = 'Uptime'), ''), ' ', " + MariaDbDialect.TABLE_MADE + ")");

    /** A name by which both drivers take it. */
    private static final String SESSION = "sessionVariables";

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
                "true",
                SESSION,
                "transaction_isolation='READ-COMMITTED'");
    }

    @Override
    String isolationProperty() {
        return SESSION;
    }

    @Override
    List<Sql> routines() {
        return Stream.of(
                        "bell-ring",
                        "bell-keep",
                        "bell-listen",
                        "lock-acquire",
                        "lock-acquire-all",
                        "lock-release",
                        "lock-renew-many",
                        "lock-write-many",
                        "lock-write-tell",
                        "range-next",
                        "tx-begin",
                        "tx-write")
                .map(this::routine)
                .toList();
    }

    /** A routine begins and ends its own transaction. */
    @Override
    boolean scriptsFitIn() {
        return false;
    }

    @Override
    StoreTraits.Push push() {
        return StoreTraits.Push.PUSHED;
    }

    @Override
    Bell bell(BellContext context) {
        return new KillQueryBell(this, context);
    }

    @Override
    UndoColumn undoColumn(String name, int type, String typeName) {
        return MySqlColumns.keyed(MySqlColumns.column(name, type, typeName), typeName);
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
    boolean speaksMySql() {
        return true;
    }

    @Override
    boolean isLoose(String typeName) {
        return MySqlColumns.isLoose(typeName);
    }

    @Override
    String quote(DatabaseMetaData data) {
        return MySqlColumns.QUOTE;
    }
}
