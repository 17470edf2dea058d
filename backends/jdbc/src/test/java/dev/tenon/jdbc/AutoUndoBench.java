package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.at.AtResource;
import dev.tenon.tx.at.AtTransactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.global.GlobalScope;
import dev.tenon.tx.global.GlobalTransactions;
import dev.tenon.tx.tcc.Tcc;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A new database with automatic undo, whose two phases a test calls itself. One thread at a time. */
final class AutoUndoBench implements AutoCloseable {
    private final JdbcBackend backend;
    private final @Nullable SqlAddress at;
    private final DataSource source;
    private final AtResource resource;

    /** Where it is. */
    enum On {
        H2,
        MARIADB,
        MYSQL,
        POSTGRES,
        /** A driver that takes a statement that failed back by itself, so that the local transaction can go on. */
        POSTGRES_AUTOSAVE;

        /** Whether it speaks MySQL. */
        boolean isMySql() {
            return this == MARIADB || this == MYSQL;
        }

        /** A new database on a server. */
        SqlAddress address() {
            return switch (this) {
                case MARIADB -> MariaDbServer.shared();
                case MYSQL -> MySqlServer.shared();
                default -> PostgresServer.shared();
            };
        }
    }

    AutoUndoBench(On on) {
        if (on == On.H2) {
            String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
            this.at = null;
            this.source = JdbcBackendTest.source(url, "", "");
            this.backend = JdbcBackend.connect(url);
        } else {
            this.at = on.address();
            SqlAddress asked = on == On.POSTGRES_AUTOSAVE ? at.with("autosave=always") : at;
            this.source = JdbcBackendTest.source(asked.url(), at.user(), at.password());
            this.backend = TwoBackends.connect(at);
        }
        this.resource = backend.autoUndo(source);
    }

    static TransactionId newId() {
        return new TransactionId(UUID.randomUUID().toString());
    }

    /** A database of MySQL as MariaDB's driver names it. */
    static DataSource byMariaDbsDriver(SqlAddress mySql) {
        String url = "jdbc:mariadb://" + mySql.socket().getHostString() + ":"
                + mySql.socket().getPort() + "/" + mySql.database() + "?allowPublicKeyRetrieval=true";
        return JdbcBackendTest.source(url, mySql.user(), mySql.password());
    }

    /** The same database, of a server, with options of the driver. */
    DataSource with(String options) {
        SqlAddress asked = Objects.requireNonNull(at).with(options);
        return JdbcBackendTest.source(asked.url(), asked.user(), asked.password());
    }

    /** The same database of MySQL by MariaDB's driver. */
    DataSource byMariaDbsDriver() {
        return byMariaDbsDriver(Objects.requireNonNull(at));
    }

    /** The same database for a process that comes to it so. */
    AtResource by(DataSource other) {
        return backend.autoUndo(other);
    }

    /** The same database for a process whose connections begin with a statement. */
    AtResource elsewhere(String begin) {
        return backend.autoUndo(source(() -> {
            Connection connection = source.getConnection();
            update(connection, begin);
            return connection;
        }));
    }

    /** Where connections come from. */
    interface Opening {
        Connection open() throws SQLException;
    }

    /** A source of connections that are opened so. */
    static DataSource source(Opening opening) {
        return (DataSource) Proxy.newProxyInstance(
                AutoUndoBench.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, args) -> opening.open());
    }

    /** A connection that notes nothing. */
    Connection open() throws SQLException {
        return source.getConnection();
    }

    /** A connection that notes what is changed, as the only branch of a transaction. */
    Connection connect(TransactionId gid) throws SQLException {
        return resource.connect(gid, "b");
    }

    /** As {@link #connect(TransactionId)}, on which the rows of another transaction are free that was closed. */
    Connection connect(TransactionId gid, TransactionId closed) throws SQLException {
        return resource.connect(gid, "b", closed::equals);
    }

    /** Transactions over the log of the same database. */
    Transactions transactions() {
        return TransactionEngine.over(
                backend.transactions(),
                AtTransactions.participants(Map.of("goods", resource)),
                TransactionOptions.DEFAULT.withService("bench-" + newId()));
    }

    /** Transactions with automatic undo of this database, as {@code goods}. */
    AtTransactions undoing(Transactions transactions) {
        return AtTransactions.over(transactions, Map.of("goods", resource));
    }

    /** The database as an application has it that works in global transactions. */
    GlobalDataSource global(GlobalScope scope) {
        return new GlobalDataSource(source, "goods", scope);
    }

    /** Global transactions in which that takes part. */
    GlobalTransactions globals(Transactions transactions, GlobalScope scope) {
        Tcc tcc = Tcc.over(transactions, new NamedParticipants());
        return GlobalTransactions.over(transactions, scope, tcc, Map.of("goods", resource), Map.of());
    }

    void confirm(TransactionId gid) throws Exception {
        end(gid, Operation.CONFIRM);
    }

    void cancel(TransactionId gid) throws Exception {
        end(gid, Operation.CANCEL);
    }

    private void end(TransactionId gid, Operation operation) throws Exception {
        assertThat(end(resource, gid, operation)).isInstanceOf(Reply.Done.class);
    }

    /** What the second phase says, whatever that is. */
    Reply canceled(TransactionId gid) throws Exception {
        return end(resource, gid, Operation.CANCEL);
    }

    static Reply end(AtResource resource, TransactionId gid, Operation operation) throws Exception {
        return resource.participant().call(new BranchCall(gid, "b", operation, "", "", Map.of(), 1));
    }

    static int update(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.executeUpdate(sql);
        }
    }

    /** Without automatic undo. */
    void run(String... statements) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** Every value of every row as the driver shows it as a text. */
    List<String> query(String sql) throws SQLException {
        try (Connection connection = source.getConnection()) {
            return query(connection, sql);
        }
    }

    static List<String> query(Connection connection, String sql) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                List<String> values = new ArrayList<>();
                for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                    values.add(String.valueOf(row.getString(i)));
                }
                rows.add(String.join("|", values));
            }
        }
        return rows;
    }

    void assertNothingIsLeft(TransactionId gid) throws SQLException {
        assertThat(query("SELECT kind FROM tenon_undo WHERE gid = '" + gid.text() + "'"))
                .as("what is noted")
                .isEmpty();
        assertThat(query("SELECT about FROM tenon_row_lock WHERE gid = '" + gid.text() + "'"))
                .as("what is locked")
                .isEmpty();
    }

    @Override
    public void close() {
        backend.close();
    }
}
