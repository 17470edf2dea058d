package dev.tenon.jdbc;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** A connection on which the database refuses to change anything, until it is closed. */
final class ReadingConnection {
    private ReadingConnection() {}

    /** Wraps a connection that is in no transaction; closes it, if it can't be made one for reading. */
    static Connection of(Connection connection) throws SQLException {
        boolean reading = false;
        try {
            connection.setReadOnly(true);
            // What the driver of MariaDB does with setReadOnly is to choose a server, and that of PostgreSQL does
            // nothing to
            // a statement that is committed by itself.
            String session = session(connection.getMetaData().getURL());
            if (session.isEmpty()) {
                reading = true;
                return connection;
            }
            access(connection, session + "READ ONLY");
            reading = true;
            return restoring(connection, session);
        } finally {
            if (!reading) {
                connection.close();
            }
        }
    }

    /** How a database is told for a session; empty if it can't be. */
    private static String session(String url) {
        if (url.startsWith("jdbc:postgresql:")) {
            return "SET SESSION CHARACTERISTICS AS TRANSACTION ";
        }
        return url.matches("jdbc:(mariadb|mysql):.*") ? "SET SESSION TRANSACTION " : "";
    }

    private static Connection restoring(Connection connection, String session) {
        return (Connection) Proxy.newProxyInstance(
                ReadingConnection.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, args) -> {
                    switch (method.getName()) {
                        case "close":
                            close(connection, session);
                            return null;
                        case "setReadOnly":
                            return null; // it stays so until it is closed
                        case "equals":
                            return args != null && self == args[0];
                        case "hashCode":
                            return System.identityHashCode(self);
                        default:
                            return GlobalDataSource.delegate(connection, method, args);
                    }
                });
    }

    private static void close(Connection connection, String session) throws SQLException {
        try {
            if (!connection.isClosed()) {
                if (!connection.getAutoCommit()) {
                    connection.rollback();
                }
                access(connection, session + "READ WRITE");
                connection.setReadOnly(false);
            }
        } finally {
            connection.close();
        }
    }

    private static void access(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
        if (!connection.getAutoCommit()) {
            connection.commit(); // or a rollback would take it back
        }
    }
}
