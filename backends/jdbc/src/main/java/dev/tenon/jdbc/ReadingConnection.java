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
            // What the driver of MariaDB does with setReadOnly is to choose a server.
            boolean session = connection.getMetaData().getURL().matches("jdbc:(mariadb|mysql):.*");
            if (session) {
                access(connection, "READ ONLY");
            }
            reading = true;
            return session ? restoring(connection) : connection;
        } finally {
            if (!reading) {
                connection.close();
            }
        }
    }

    private static Connection restoring(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                ReadingConnection.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, args) -> {
                    switch (method.getName()) {
                        case "close":
                            close(connection);
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

    private static void close(Connection connection) throws SQLException {
        try {
            if (!connection.isClosed()) {
                if (!connection.getAutoCommit()) {
                    connection.rollback();
                }
                access(connection, "READ WRITE");
                connection.setReadOnly(false);
            }
        } finally {
            connection.close();
        }
    }

    private static void access(Connection connection, String mode) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET SESSION TRANSACTION " + mode);
        }
    }
}
