package dev.tenon.jdbc;

import dev.tenon.lock.spi.StoreTraits;
import java.sql.SQLException;
import java.util.Properties;

/** MariaDB 10.6 or newer: compound statements as scripts of one round trip, and a bell rung by {@code KILL QUERY}. */
final class MariaDbDialect extends Dialect {
    /** Free of the session's time zone, and the same on a replica. */
    static final String CLOCK = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";

    static final MariaDbDialect MARIADB = new MariaDbDialect();

    private static final int DEADLOCK = 1213;
    private static final int LOCK_WAIT_TIMEOUT = 1205;
    private static final int RECORD_CHANGED = 1020;
    private static final int DUPLICATE_KEY = 1062;
    private static final int DUPLICATE_COLUMN = 1060; // another process has just added it
    private static final int QUERY_INTERRUPTED = 1317;
    private static final int READ_ONLY_OPTION = 1290;
    private static final int READ_ONLY_MODE = 1836;
    private static final int STATEMENT_TIMEOUT = 1969;
    private static final int CONNECTION_KILLED = 1927;
    private static final int SERVER_SHUTDOWN = 1053;

    private MariaDbDialect() {
        super("mariadb", CLOCK);
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
                // REPEATABLE READ would lock gaps between names, and rows that a statement only looks at.
                DRIVER_ISOLATION,
                "READ-COMMITTED");
    }

    @Override
    StoreTraits.Push push() {
        return StoreTraits.Push.PUSHED;
    }

    @Override
    Bell bell(BellContext context) {
        return new MariaDbBell(this, context);
    }

    @Override
    Failure failure(SQLException e) {
        return meaning(e, super.failure(e));
    }

    static Failure meaning(SQLException e, Failure byState) {
        return switch (e.getErrorCode()) {
            case DEADLOCK, LOCK_WAIT_TIMEOUT, RECORD_CHANGED, DUPLICATE_KEY, DUPLICATE_COLUMN -> Failure.CONTENTION;
            case QUERY_INTERRUPTED, READ_ONLY_OPTION, READ_ONLY_MODE, STATEMENT_TIMEOUT -> Failure.REFUSED;
            case CONNECTION_KILLED, SERVER_SHUTDOWN -> Failure.BROKEN;
            default -> byState;
        };
    }
}
