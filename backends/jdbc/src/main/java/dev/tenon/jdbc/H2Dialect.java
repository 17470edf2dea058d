package dev.tenon.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Properties;

/**
 * H2, embedded or as a server. It has no way to wake another process; within one backend waiters are told directly.
 */
final class H2Dialect extends Dialect {
    static final H2Dialect H2 = new H2Dialect();
    private static final int DEADLOCK = 40001;
    private static final int OBJECT_CLOSED = 90007;
    private static final int CONNECTION_BROKEN = 90067;
    private static final int DATABASE_CLOSED = 90098;
    private static final int DATABASE_CLOSED_BY_SHUTDOWN = 90121;
    private static final int LOCK_TIMEOUT = 50200;
    private static final int CONCURRENT_UPDATE = 90131;

    private H2Dialect() {
        super(
                "h2",
                "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)) * 1000000 AS BIGINT)",
                new Incarnation("''", "''")); // it lives and dies with its users
    }

    @Override
    public String name() {
        return "H2";
    }

    @Override
    Properties defaults() {
        return properties();
    }

    @Override
    UndoColumn undoColumn(String name, int type, String typeName) throws SQLException {
        if (typeName.equals("JSON")) {
            return UndoColumn.plain(name, Types.VARCHAR).writtenAs("? FORMAT JSON");
        }
        return switch (type) {
            case Types.ARRAY, Types.JAVA_OBJECT, Types.STRUCT -> UndoColumn.refuse(name, typeName);
            case Types.OTHER ->
                typeName.startsWith("ROW") ? UndoColumn.refuse(name, typeName) : UndoColumn.plain(name, Types.VARCHAR);
            default -> UndoColumn.plain(name, type);
        };
    }

    @Override
    boolean rollsBack(SQLException e, Connection connection) {
        return e.getErrorCode() == DEADLOCK;
    }

    @Override
    public SqlFailure failure(SQLException e) {
        return switch (e.getErrorCode()) {
            case LOCK_TIMEOUT, CONCURRENT_UPDATE -> SqlFailure.CONTENTION;
            case OBJECT_CLOSED, CONNECTION_BROKEN, DATABASE_CLOSED, DATABASE_CLOSED_BY_SHUTDOWN -> SqlFailure.BROKEN;
            default -> super.failure(e);
        };
    }
}
