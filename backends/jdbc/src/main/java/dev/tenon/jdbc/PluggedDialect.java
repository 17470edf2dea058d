package dev.tenon.jdbc;

import dev.tenon.TenonException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.List;
import java.util.Optional;
import java.util.Properties;

/** A dialect that Tenon did not come with: waiters in other processes poll, and there is no automatic undo. */
final class PluggedDialect extends Dialect {
    private final SqlDialect given;

    /** @throws IllegalArgumentException if it lacks something */
    PluggedDialect(SqlDialect given) {
        super(given.name(), given.clock(), new Incarnation(given.incarnation(), given.incarnationWritten()));
        this.given = given;
        List<String> problems = DialectCheck.problems(this);
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(
                    "The dialect " + given.name() + " is incomplete: " + String.join("; ", problems));
        }
    }

    @Override
    public String name() {
        return given.name();
    }

    @Override
    public Optional<String> source(SqlStatement statement) {
        return given.source(statement);
    }

    @Override
    public List<String> schema() {
        return given.schema();
    }

    @Override
    public SqlFailure failure(SQLException e) {
        return given.failure(e);
    }

    @Override
    Properties defaults() {
        Properties properties = new Properties();
        properties.putAll(given.driverProperties());
        return properties;
    }

    /** So that each transaction begins with the statement that says how it is isolated, if there is one. */
    @Override
    boolean isolates(Connection connection, Properties properties) {
        return isolation() == null;
    }

    @Override
    String place(String what) {
        return what + " of the dialect " + given.name();
    }

    @Override
    void requireUndo() {
        throw new TenonException(
                "Automatic undo knows the columns of H2, MariaDB, MySQL and PostgreSQL, and not those of "
                        + given.name());
    }

    @Override
    UndoColumn undoColumn(String name, int type, String typeName) throws SQLFeatureNotSupportedException {
        return UndoColumn.refuse(name, typeName);
    }
}
