package dev.tenon.jdbc;

import dev.tenon.jdbc.AutoUndoBench.On;
import dev.tenon.jdbc.AutoUndoTypes.Type;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.tx.at.AtResource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * A new database for {@link UndoMachine}: connections that are used again, and never wait for a lock, as all that
 * happens is done by one thread. What is particular to a kind of database is here.
 */
final class UndoMachineDatabase implements AutoCloseable {
    /** Types that a statement in the machine's own text can't be sure to give back, or that an extension has. */
    private static final Set<String> LEFT_OUT =
            Set.of("mood", "weekday", "citext", "mood[]", "pair", "hstore", "token");

    private final On on;
    private final JdbcBackend backend;
    private final DataSource source;
    private final DataSource pool;
    private final Deque<Connection> idle = new ArrayDeque<>();
    private final Connection observer;

    UndoMachineDatabase(On on) throws SQLException {
        this.on = on;
        if (on == On.H2) {
            String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=1";
            this.source = JdbcBackendTest.source(url, "", "");
            this.backend = JdbcBackend.connect(url);
        } else {
            SqlAddress at = on.address();
            // Two statements in one string are what an application may have allowed.
            String url = on.isMySql() ? at.with("allowMultiQueries=true").url() : at.url();
            this.source = JdbcBackendTest.source(url, at.user(), at.password());
            this.backend = TwoBackends.connect(at);
        }
        this.pool = (DataSource) Proxy.newProxyInstance(
                UndoMachineDatabase.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, args) -> pooled(idle.isEmpty() ? opened() : idle.pop()));
        this.observer = source.getConnection();
        if (on.isMySql()) {
            run(List.of("SET time_zone = '+00:00', SESSION sql_mode = CONCAT(@@sql_mode, ',NO_AUTO_VALUE_ON_ZERO')"));
            run(berlin());
        }
    }

    /** Lets a MariaDB or MySQL know a time zone, {@code Tenon/Berlin}, of which the others are not loaded. */
    static List<String> berlin() {
        return List.of(
                "INSERT IGNORE INTO mysql.time_zone (Time_zone_id, Use_leap_seconds) VALUES (990, 'N')",
                "INSERT IGNORE INTO mysql.time_zone_name VALUES ('Tenon/Berlin', 990)",
                "INSERT IGNORE INTO mysql.time_zone_transition_type VALUES (990, 0, 7200, 1, 'CEST'),"
                        + " (990, 1, 3600, 0, 'CET')",
                // The last Sundays of March and October 2026, 01:00 UTC.
                "INSERT IGNORE INTO mysql.time_zone_transition VALUES (990, 1774746000, 0), (990, 1792890000, 1)");
    }

    On on() {
        return on;
    }

    /** Automatic undo that knows none of the tables yet. */
    AtResource resource() {
        return backend.autoUndo(pool);
    }

    /** A connection without automatic undo, which is in a local transaction. */
    Connection connect() throws SQLException {
        Connection connection = pool.getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    private Connection opened() throws SQLException {
        Connection connection = source.getConnection();
        try (Statement statement = connection.createStatement()) {
            switch (on) {
                case MYSQL -> statement.execute("SET innodb_lock_wait_timeout = 1, time_zone = 'Tenon/Berlin'");
                case MARIADB -> statement.execute("SET innodb_lock_wait_timeout = 0, time_zone = 'Tenon/Berlin'");
                case H2 -> {}
                default -> statement.execute("SET lock_timeout = 3");
            }
        }
        return connection;
    }

    /** Closed, it is used again. */
    private Connection pooled(Connection raw) {
        boolean[] closed = {false};
        return (Connection) Proxy.newProxyInstance(
                UndoMachineDatabase.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, args) -> {
                    if (method.getName().equals("isClosed")) {
                        return closed[0];
                    }
                    if (method.getName().equals("close")) {
                        giveBack(raw, closed);
                        return null;
                    }
                    if (closed[0]) {
                        throw new SQLException("This connection is closed");
                    }
                    try {
                        return method.invoke(raw, args);
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    }
                });
    }

    private void giveBack(Connection raw, boolean[] closed) throws SQLException {
        if (!closed[0]) {
            closed[0] = true;
            if (!raw.getAutoCommit()) {
                raw.rollback();
                raw.setAutoCommit(true);
            }
            idle.push(raw);
        }
    }

    /** Outside of every transaction, in UTC. */
    void run(List<String> statements) throws SQLException {
        try (Statement statement = observer.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /**
     * Drops the machine's tables on MariaDB and MySQL, whose drivers ask for keys in ways that look at every table
     * there is.
     */
    void clear() throws SQLException {
        if (on.isMySql()) {
            List<String> tables = query("SELECT TABLE_NAME FROM information_schema.TABLES"
                    + " WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME NOT LIKE 'tenon\\_%'");
            run(List.of(
                    "SET FOREIGN_KEY_CHECKS = 0",
                    "DROP TABLE IF EXISTS `" + String.join("`, `", tables) + "`",
                    "SET FOREIGN_KEY_CHECKS = 1"));
        }
    }

    /** What is committed. */
    List<String> query(String sql) throws SQLException {
        return AutoUndoBench.query(observer, sql);
    }

    /** The types of columns, with two values of each. */
    List<Type> types() {
        List<Type> types = switch (on) {
            case H2 -> AutoUndoTypes.ofH2();
            case MARIADB -> AutoUndoTypes.ofMariaDb();
            case MYSQL ->
                Stream.concat(AutoUndoTypes.ofMySql().stream(), Stream.of(AutoUndoTypes.VECTOR))
                        .toList();
            default -> AutoUndoTypes.ofPostgres();
        };
        return Stream.concat(types.stream(), plain())
                .filter(t -> !LEFT_OUT.contains(t.name()))
                .toList();
    }

    private static Stream<Type> plain() {
        return Stream.of(
                new Type("BIGINT", "-9223372036854775808", "7", true),
                new Type("SMALLINT", "-1", "2", true),
                new Type("DECIMAL(12,2)", "10.50", "-0.01", true),
                new Type("VARCHAR(30)", "'a b'", "'it''s ?'", true));
    }

    /** A column's value as a text in which no two values look the same. */
    String shown(String column, String type) {
        String quoted = quoted(column);
        String text = switch (on) {
            case MARIADB, MYSQL ->
                switch (type) {
                    case "FLOAT" -> "CAST(" + quoted + " AS DOUBLE)";
                    case "VECTOR(3)" -> "HEX(" + quoted + ")";
                    default -> "HEX(CONCAT(" + quoted + "))";
                };
            case H2 ->
                type.contains("BINARY") || type.equals("BLOB")
                        ? "RAWTOHEX(" + quoted + ")"
                        : "CAST(" + quoted + " AS VARCHAR)";
            default -> "CAST(" + quoted + " AS text)";
        };
        return "COALESCE(" + text + ", '-')";
    }

    /** A name in a statement. */
    static String quoted(String name) {
        return name.equals(name.toLowerCase(Locale.ROOT)) ? name : '"' + name + '"';
    }

    /** Joins texts. */
    String joined(List<String> texts) {
        return on.isMySql() ? "CONCAT(" + String.join(", '|', ", texts) + ")" : String.join(" || '|' || ", texts);
    }

    String random() {
        return on.isMySql() || on == On.H2 ? "RAND()" : "random()";
    }

    @Override
    public void close() throws SQLException {
        observer.close();
        for (Connection connection : idle) {
            connection.close();
        }
        backend.close();
    }
}
