package dev.tenon.jdbc;

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
            boolean auto = connection.getAutoCommit();
            connection.setReadOnly(true);
            String url = connection.getMetaData().getURL();
            Connection restoring = connection;
            if (url.matches("jdbc:(mariadb|mysql):.*")) {
                // What its driver does with setReadOnly is to choose a server.
                access(connection, "READ ONLY");
                restoring = restoring(connection, false, () -> {
                    access(connection, "READ WRITE");
                    connection.setAutoCommit(auto);
                });
            } else if (url.startsWith("jdbc:postgresql:")) {
                // Its driver begins transactions so, and leaves a statement alone that is committed by itself. A
                // setting of the
                // session would stay with whoever a pool of connections gives that session to.
                connection.setAutoCommit(false);
                restoring = restoring(connection, true, () -> connection.setAutoCommit(auto));
            }
            reading = true;
            return restoring;
        } finally {
            if (!reading) {
                connection.close();
            }
        }
    }

    /** Makes a connection again what it was. */
    private interface Restoring {
        void run() throws SQLException;
    }

    /** @param inTransactions whether it stays without autocommit until it is closed */
    private static Connection restoring(Connection connection, boolean inTransactions, Restoring restoring) {
        return UndoConnection.proxy(Connection.class, (self, method, args) -> {
            switch (method.getName()) {
                case "close":
                    close(connection, restoring);
                    return null;
                case "setReadOnly":
                    return null; // it stays so until it is closed
                case "setAutoCommit":
                    return inTransactions ? null : UndoConnection.delegate(connection, method, args);
                case "equals":
                    return args != null && self == args[0];
                case "hashCode":
                    return System.identityHashCode(self);
                default:
                    return UndoConnection.delegate(connection, method, args);
            }
        });
    }

    private static void close(Connection connection, Restoring restoring) throws SQLException {
        try {
            if (!connection.isClosed()) {
                if (!connection.getAutoCommit()) {
                    connection.rollback();
                }
                restoring.run();
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
