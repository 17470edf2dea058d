package dev.tenon.jdbc;

import dev.tenon.TenonException;
import dev.tenon.lock.spi.StoreTraits;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.Locale;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** MariaDB 10.6 or newer: compound statements as scripts of one round trip, and a bell rung by {@code KILL QUERY}. */
final class MariaDbDialect extends Dialect {
    /** Free of the session's time zone, and the same on a replica. */
    static final String CLOCK = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";

    /**
     * When the table of the groups was made, as a restore of a dump makes it anew; the same in sessions of every time
     * zone.
     */
    static final String TABLE_MADE = "COALESCE((SELECT UNIX_TIMESTAMP(t.create_time) FROM information_schema.tables t"
            + " WHERE t.table_schema = DATABASE() AND t.table_name = 'tenon_worker_group'), '')";

    /**
     * A cluster of Galera has what it has answered on more than half of its nodes; any other server is what it was
     * since its start.
     */
    private static final String INCARNATION = text("COALESCE("
            + "(SELECT NULLIF(variable_value, '') FROM information_schema.global_status"
            + " WHERE variable_name = 'WSREP_CLUSTER_STATE_UUID'),"
            + " CONCAT(@@hostname, ' ', (SELECT UNIX_TIMESTAMP() - variable_value FROM information_schema.global_status"
            + " WHERE variable_name = 'UPTIME'), ' ', " + TABLE_MADE + "))");

    static final MariaDbDialect MARIADB = new MariaDbDialect();

    private static final String ISOLATION = "transactionIsolation";

    private static final int DEADLOCK = 1213;
    private static final int LOCK_WAIT_TIMEOUT = 1205;
    private static final int RECORD_CHANGED = 1020;
    private static final int LOCK_TABLE_FULL = 1206;
    private static final int DUPLICATE_KEY = 1062;
    private static final int DUPLICATE_COLUMN = 1060; // another process has just added it
    private static final int QUERY_INTERRUPTED = 1317;
    private static final int READ_ONLY_OPTION = 1290;
    private static final int READ_ONLY_MODE = 1836;
    private static final int STATEMENT_TIMEOUT = 1969;
    private static final int CONNECTION_KILLED = 1927;
    private static final int SERVER_SHUTDOWN = 1053;

    private MariaDbDialect() {
        super("mariadb", CLOCK, new Incarnation(INCARNATION, INCARNATION));
    }

    /** Comparable with every column, whatever the collations of server and session. */
    static String text(String expression) {
        return "CONVERT(" + expression + " USING utf8mb4) COLLATE utf8mb4_bin";
    }

    @Override
    public String name() {
        return "MariaDB";
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
                "useServerPrepStmts",
                "true",
                // REPEATABLE READ would lock gaps between names, and rows that a statement only looks at.
                ISOLATION,
                "READ-COMMITTED");
    }

    @Override
    boolean isolates(Connection connection, Properties properties) {
        return properties.containsKey(ISOLATION);
    }

    @Override
    void requireFits(DatabaseMetaData server) throws SQLException {
        if (!isMariaDb(server)) {
            throw new TenonException(
                    "This server is no MariaDB, but " + server.getDatabaseProductVersion()
                            + "; for MySQL the URL begins with"
                            + " jdbc:mysql: (driver com.mysql:mysql-connector-j; MariaDB's own takes it with the option permitMysqlScheme)");
        }
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
        return MySqlColumns.keyed(column(name, type, typeName), typeName);
    }

    /**
     * Numbers go back as numbers, and dates as the texts that they were: the driver would make times of the JVM's zone
     * of them.
     */
    static UndoColumn column(String name, int type, String typeName) {
        String kind = typeName.split("[ (]")[0].toUpperCase(Locale.ROOT);
        return switch (kind) {
            case "BIT", "BOOLEAN", "BOOL", "YEAR" ->
                UndoColumn.plain(name, Types.DECIMAL).readAs("({name} + 0)");
            case "TINYINT", "SMALLINT", "MEDIUMINT", "INT", "INTEGER", "BIGINT" ->
                UndoColumn.plain(name, Types.DECIMAL);
            // A FLOAT is shown with six digits only.
            case "FLOAT" -> UndoColumn.plain(name, Types.DOUBLE).readAs("CAST({name} AS DOUBLE)");
            case "DATE", "TIME", "DATETIME", "TIMESTAMP" ->
                UndoColumn.plain(name, Types.VARCHAR).readAs("CAST({name} AS CHAR)");
            case "DOUBLE", "DECIMAL" -> UndoColumn.plain(name, type);
            case "GEOMETRY", "POINT", "LINESTRING", "POLYGON" -> UndoColumn.plain(name, Types.VARBINARY);
            case "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON", "GEOMETRYCOLLECTION" ->
                UndoColumn.plain(name, Types.VARBINARY);
            default -> UndoColumn.plain(name, UndoColumn.isBinary(type) ? type : Types.VARCHAR);
        };
    }

    @Override
    @Nullable
    UndoColumn undoColumnInUtc(UndoColumn column, String typeName) {
        return inUtc(column, typeName);
    }

    /**
     * What is stored of a {@code TIMESTAMP}, as nothing else tells the two hours of a clock that was set back apart.
     */
    static @Nullable UndoColumn inUtc(UndoColumn column, String typeName) {
        return typeName.toUpperCase(Locale.ROOT).startsWith("TIMESTAMP")
                ? column.readAs("CASE WHEN UNIX_TIMESTAMP({name}) = 0 THEN CAST({name} AS CHAR)"
                        + " ELSE CAST('1970-01-01' + INTERVAL UNIX_TIMESTAMP({name}) SECOND AS CHAR) END")
                : null;
    }

    @Override
    boolean rollsBack(SQLException e, Connection connection) throws SQLException {
        return takesBack(e, connection);
    }

    static boolean takesBack(SQLException e, Connection connection) throws SQLException {
        return switch (e.getErrorCode()) {
            case DEADLOCK, RECORD_CHANGED, LOCK_TABLE_FULL -> true;
            case LOCK_WAIT_TIMEOUT -> {
                try (Statement statement = connection.createStatement();
                        ResultSet all = statement.executeQuery("SELECT @@innodb_rollback_on_timeout")) {
                    yield all.next() && all.getInt(1) == 1;
                }
            }
            default -> false;
        };
    }

    @Override
    public SqlFailure failure(SQLException e) {
        return meaning(e, super.failure(e));
    }

    static SqlFailure meaning(SQLException e, SqlFailure byState) {
        return switch (e.getErrorCode()) {
            case DEADLOCK, LOCK_WAIT_TIMEOUT, RECORD_CHANGED, DUPLICATE_KEY, DUPLICATE_COLUMN -> SqlFailure.CONTENTION;
            case QUERY_INTERRUPTED, READ_ONLY_OPTION, READ_ONLY_MODE, STATEMENT_TIMEOUT -> SqlFailure.REFUSED;
            case CONNECTION_KILLED, SERVER_SHUTDOWN -> SqlFailure.BROKEN;
            default -> byState;
        };
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
