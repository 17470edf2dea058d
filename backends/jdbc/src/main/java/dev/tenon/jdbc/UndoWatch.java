package dev.tenon.jdbc;

import java.lang.reflect.Method;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * The connection of a branch, watched for the errors with which a database takes the whole local transaction back, such
 * as a deadlock on MariaDB: whoever catches one of them and goes on would commit what comes after it alone. From then
 * on, nothing runs until the transaction is rolled back. One thread at a time.
 */
final class UndoWatch {
    private final Connection driver;
    private final Dialect dialect;
    private final Connection watched;
    private boolean lost;

    UndoWatch(Connection driver, Dialect dialect) {
        this.driver = driver;
        this.dialect = dialect;
        this.watched = UndoConnection.proxy(Connection.class, (proxy, method, args) -> {
            Object result = call(driver, method, args);
            return result instanceof Statement statement ? statement((Connection) proxy, statement) : result;
        });
    }

    /** What to work on. */
    Connection connection() {
        return watched;
    }

    /** The transaction was rolled back by its owner: another begins. */
    void begins() {
        lost = false;
    }

    /** @throws SQLException if the database has rolled the transaction back, and its owner has not */
    void requireNotLost() throws SQLException {
        if (lost) {
            throw new SQLException(
                    "The database has rolled this branch back, with all that it had changed, as an error before has said"
                            + " (a deadlock, mostly): roll back, and begin again",
                    "40001");
        }
    }

    private Statement statement(Connection proxy, Statement raw) {
        Class<? extends Statement> type = raw instanceof CallableStatement
                ? CallableStatement.class
                : raw instanceof PreparedStatement ? PreparedStatement.class : Statement.class;
        return UndoConnection.proxy(type, (self, method, args) -> {
            if (method.getName().equals("getConnection")) {
                return proxy;
            }
            if (!method.getName().startsWith("execute")) {
                return UndoConnection.delegate(raw, method, args);
            }
            requireNotLost();
            Object result = call(raw, method, args);
            // Rows that come by and by may end with such an error, too.
            return result instanceof ResultSet rows && raw.getFetchSize() != 0 ? rows((Statement) self, rows) : result;
        });
    }

    private ResultSet rows(Statement statement, ResultSet raw) {
        return UndoConnection.proxy(
                ResultSet.class,
                (self, method, args) -> method.getName().equals("getStatement") ? statement : call(raw, method, args));
    }

    private @Nullable Object call(Object target, Method method, @Nullable Object @Nullable [] args) throws Throwable {
        try {
            return UndoConnection.delegate(target, method, args);
        } catch (SQLException e) {
            lost |= dialect.rollsBack(e, driver);
            throw e;
        }
    }
}
