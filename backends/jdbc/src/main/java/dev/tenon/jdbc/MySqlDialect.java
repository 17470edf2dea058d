package dev.tenon.jdbc;

import dev.tenon.TenonException;
import dev.tenon.lock.spi.StoreTraits;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * MySQL 8.0.29 or newer: what is a script of one round trip in MariaDB is a stored routine here, and where it may not
 * be called, several statements; a bell rung by {@code KILL QUERY}.
 */
final class MySqlDialect extends Dialect {
    /** What MySQL shows where MariaDB has another table; where neither is shown, the tables alone tell. */
    private static final String INCARNATION = MariaDbDialect.text("CONCAT(@@hostname, ' ', COALESCE("
            + "(SELECT UNIX_TIMESTAMP() - CAST(s.variable_value AS SIGNED) FROM performance_schema.global_status s"
            + " WHERE s.variable_name = 'Uptime'), ''), ' ', " + MariaDbDialect.TABLE_MADE + ")");

    private static final int NO_SUCH_ROUTINE = 1305; // as far as this user is told
    private static final int ROUTINE_DENIED = 1370;

    static final MySqlDialect MYSQL = new MySqlDialect();

    private MySqlDialect() {
        super("mysql", MariaDbDialect.CLOCK, new Incarnation(INCARNATION, INCARNATION));
    }

    @Override
    public String name() {
        return "MySQL";
    }

    @Override
    Properties defaults() {
        return properties(
                "connectTimeout",
                "5000",
                "socketTimeout",
                "10000",
                "tcpKeepAlive",
                "true",
                // A batch is one packet.
                "rewriteBatchedStatements",
                "true",
                "allowMultiQueries",
                "true",
                // What only this connection changes need not be asked for.
                "useLocalSessionState",
                "true");
    }

    /** By a statement, as options of the driver that say so would take the place of those of the user's URL. */
    @Override
    boolean isolates(Connection connection, Properties properties) throws SQLException {
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        return true;
    }

    @Override
    void requireFits(DatabaseMetaData server) throws SQLException {
        String version = server.getDatabaseProductVersion();
        if (isMariaDb(server)) {
            throw new TenonException(
                    "This server is no MySQL, but " + version + "; for MariaDB the URL begins with jdbc:mariadb:"
                            + " (driver org.mariadb.jdbc:mariadb-java-client)");
        }
        if (isOlder(version)) {
            throw new TenonException("MySQL 8.0.29 or newer is needed; this is " + version);
        }
    }

    /**
     * Whether a version is one in which {@code CREATE PROCEDURE IF NOT EXISTS} and detached branches of XA are missing.
     */
    static boolean isOlder(String version) {
        int[] least = {8, 0, 29};
        String[] parts = version.split("[.-]");
        for (int i = 0; i < least.length && i < parts.length && parts[i].matches("[0-9]{1,9}"); i++) {
            int part = Integer.parseInt(parts[i]);
            if (part != least[i]) {
                return part < least[i];
            }
        }
        return false;
    }

    @Override
    List<Sql> routines() {
        return Stream.of(
                        "bell-ring",
                        "bell-listen",
                        "lock-acquire",
                        "lock-acquire-all",
                        "lock-release",
                        "lock-write-tell",
                        "range-next",
                        "tx-begin",
                        "tx-write")
                .map(this::routine)
                .toList();
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
    public SqlFailure failure(SQLException e) {
        return MariaDbDialect.meaning(e, super.failure(e));
    }

    @Override
    boolean mayNotCall(SQLException e) {
        return e.getErrorCode() == NO_SUCH_ROUTINE || e.getErrorCode() == ROUTINE_DENIED;
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
