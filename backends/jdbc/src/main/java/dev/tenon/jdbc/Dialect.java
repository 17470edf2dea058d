package dev.tenon.jdbc;

import dev.tenon.TenonException;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.StoreTraits;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What differs from one database to the next, as data: where its statements are, how it tells the time, what its errors
 * mean, and whether it can wake a waiter. There is one of each kind, which reads a statement when it is first asked for
 * it and then keeps it: that is text of this jar, the same for every backend. Thread-safe.
 */
abstract sealed class Dialect implements SqlDialect
        permits H2Dialect, MariaDbDialect, MySqlDialect, PostgresDialect, PluggedDialect {
    /** The numbered scripts that make the tables, in their order. */
    static final List<String> SCHEMA = List.of(
            "001-tables",
            "002-definitions",
            "003-lock-modes",
            "004-fence-guard",
            "005-transactions",
            "006-automatic-undo",
            "007-outbox",
            "008-stuck-transactions",
            "009-outbox-failing",
            "010-worker-incarnation",
            "011-last-given");

    private final String folder;
    private final String clock;
    private final Incarnation incarnation;
    private final Map<String, Optional<Sql>> statements = new ConcurrentHashMap<>();

    /**
     * @param folder of its statements, in the resources of this package
     * @param clock an expression for microseconds since 1970-01-01T00:00:00Z, in any time zone of the session
     */
    Dialect(String folder, String clock, Incarnation incarnation) {
        this.folder = folder;
        this.clock = clock;
        this.incarnation = incarnation;
    }

    /**
     * Expressions for a text that is another one after each event in which a database may have forgotten what it has
     * answered: it was started, failed over to another server, or, but for Galera, its tables were replaced. Empty: it
     * can't while its users live.
     *
     * @param now of the row {@code g} of a group of worker IDs
     * @param written what to write in such a row, so that it is {@code now} from then on
     */
    record Incarnation(String now, String written) {}

    /** The dialect of a JDBC URL. */
    static Dialect ofUrl(String url) {
        for (Map.Entry<String, Dialect> known : Map.<String, Dialect>of(
                        "jdbc:h2:", H2Dialect.H2,
                        "jdbc:mariadb:", MariaDbDialect.MARIADB,
                        "jdbc:mysql:", MySqlDialect.MYSQL,
                        "jdbc:postgresql:", PostgresDialect.POSTGRESQL)
                .entrySet()) {
            if (url.startsWith(known.getKey())) {
                return known.getValue();
            }
        }
        int colon = url.indexOf(':', "jdbc:".length());
        throw new IllegalArgumentException("No dialect for the database of "
                + (colon < 0 ? "this URL" : url.substring(0, colon + 1) + "…")
                + "; there is one for jdbc:h2:, jdbc:mariadb:, jdbc:mysql: and jdbc:postgresql:");
    }

    /** The dialect of a product. Oracle's driver takes MariaDB for MySQL, but for its version. */
    static Dialect of(DatabaseMetaData server) throws SQLException {
        String product = isMariaDb(server) ? "MariaDB" : server.getDatabaseProductName();
        return switch (product) {
            case "H2" -> H2Dialect.H2;
            case "MariaDB" -> MariaDbDialect.MARIADB;
            case "MySQL" -> MySqlDialect.MYSQL;
            case "PostgreSQL" -> PostgresDialect.POSTGRESQL;
            default ->
                throw new IllegalArgumentException(
                        "No dialect for " + product + "; there is one for H2, MariaDB, MySQL and PostgreSQL");
        };
    }

    /** Whether it is MariaDB, whatever the driver. */
    static boolean isMariaDb(DatabaseMetaData server) throws SQLException {
        return server.getDatabaseProductVersion().contains("MariaDB");
    }

    /**
     * Looks whether the server is one for these statements: a URL need not say so. No round trip.
     *
     * @throws TenonException if it is not
     */
    void requireFits(DatabaseMetaData server) throws SQLException {}

    @Override
    public final String clock() {
        return clock;
    }

    @Override
    public final String incarnation() {
        return incarnation.now();
    }

    @Override
    public final String incarnationWritten() {
        return incarnation.written();
    }

    /** Its own text of a statement; a file of its folder, unless it is from elsewhere. */
    @Override
    public Optional<String> source(SqlStatement statement) {
        return Optional.ofNullable(resource(folder + "/" + statement.file()));
    }

    /** Where users find something that they are to run: scripts of the tables, or of routines. */
    String place(String what) {
        return "dev/tenon/jdbc/" + folder + "/" + what + " of tenon-jdbc.jar";
    }

    /** A statement that every dialect has: its own form, or else the common one. */
    final Sql sql(SqlStatement statement) {
        return find(statement).orElseThrow(() -> new IllegalStateException(name() + " has no " + statement));
    }

    /** As {@link #sql}, empty if there is none. */
    final Optional<Sql> find(SqlStatement statement) {
        Sql own = ownSql(statement);
        if (own != null) {
            return Optional.of(own);
        }
        String common = "every/" + statement.id();
        return kept(common, () -> parsed(common));
    }

    /**
     * A statement that only some dialects have, as a transaction of its own where it is a script that could be part of
     * the caller's.
     */
    final @Nullable Sql ownSql(SqlStatement statement) {
        return ownSql(statement, true);
    }

    /**
     * A statement that only some dialects have, and that may be a script.
     *
     * @param alone whether it is to be a transaction of its own, and not part of the caller's
     */
    final @Nullable Sql ownSql(SqlStatement statement, boolean alone) {
        String own = folder + "/" + statement.id();
        return kept(own + (alone ? " alone" : " within"), () -> script(own, statement, alone))
                .orElse(null);
    }

    /** A statement that only Tenon's own dialects have, and not each of them. */
    final @Nullable Sql ownSql(BuiltInStatement statement) {
        String own = folder + "/" + statement.id();
        return kept(own, () -> parsed(own)).orElse(null);
    }

    /** As {@link #ownSql(BuiltInStatement)}, of one that this dialect has. */
    final Sql sql(BuiltInStatement statement) {
        return Objects.requireNonNull(ownSql(statement), statement.file());
    }

    private @Nullable Sql parsed(String id) {
        String source = resource(id + ".sql");
        return source == null ? null : Sql.parse(id, filled(source));
    }

    private @Nullable Sql script(String own, SqlStatement statement, boolean alone) {
        String source = source(statement).orElse(null);
        if (source == null) {
            return null;
        }
        String begin =
                alone && source.contains("{begin}") ? source(SqlStatement.BEGIN).orElse("") : "";
        return Sql.parse(
                own,
                filled(source)
                        .replace("{begin}", begin)
                        .replace("{commit}", alone ? "COMMIT;" : "")
                        .replace("{alone}", alone ? "1" : "0"));
    }

    private Optional<Sql> kept(String name, Supplier<@Nullable Sql> reading) {
        return statements.computeIfAbsent(name, unread -> Optional.ofNullable(reading.get()));
    }

    @Override
    public List<String> schema() {
        return SCHEMA.stream()
                .map(script -> required(folder + "/schema/" + script + ".sql"))
                .toList();
    }

    /**
     * What makes the stored routines that its statements call, each of them once and for all: what changes gets another
     * name.
     */
    List<Sql> routines() {
        return List.of();
    }

    /** The statement that makes a stored routine. */
    final Sql routine(String name) {
        return Sql.verbatim("routine/" + name, required(folder + "/routine/" + name + ".sql"));
    }

    /** The text of a script. */
    final String script(SqlStatement statement) {
        return source(statement).orElseThrow(() -> new IllegalStateException(name() + " has no " + statement));
    }

    /** What to tell the driver, unless the URL says otherwise. */
    abstract Properties defaults();

    @Override
    public final Map<String, String> driverProperties() {
        Properties defaults = defaults();
        return defaults.stringPropertyNames().stream()
                .collect(Collectors.toUnmodifiableMap(key -> key, defaults::getProperty));
    }

    /**
     * Makes sure that rows of this database can be put back by automatic undo.
     *
     * @throws TenonException if it does not know how
     */
    void requireUndo() {}

    /**
     * Whether transactions of a connection of the backend's own are isolated as they have to be, without each of them
     * being told so ({@link #isolation}).
     *
     * @param connection a new one, which this may set up
     * @param properties what the driver was told
     */
    boolean isolates(Connection connection, Properties properties) throws SQLException {
        return true;
    }

    /**
     * What a transaction of Tenon's own begins with on a connection whose isolation level nobody knows; null where none
     * keeps others waiting who write rows beside those that it has read.
     */
    final @Nullable Sql isolation() {
        return ownSql(SqlStatement.ISOLATION);
    }

    /** How a waiter in another process learns of its grant. */
    StoreTraits.Push push() {
        return StoreTraits.Push.TIMED;
    }

    /** What wakes waiters in other processes. */
    Bell bell(BellContext context) {
        return new NoBell();
    }

    /**
     * How automatic undo reads a column's values, and puts them back.
     *
     * @param type as {@link java.sql.DatabaseMetaData#getColumns} has it, and so {@code typeName}
     * @throws SQLFeatureNotSupportedException if it can't put them back
     */
    abstract UndoColumn undoColumn(String name, int type, String typeName) throws SQLException;

    /**
     * The same column as one whose values are read as they are stored, where their texts depend on the session's time
     * zone and don't tell all; they are given back in a session whose time zone is UTC. Null if they tell all.
     */
    @Nullable
    UndoColumn undoColumnInUtc(UndoColumn column, String typeName) {
        return null;
    }

    /**
     * Whether the database has rolled the whole local transaction back with an error, and would let the next statement
     * begin another.
     *
     * @param connection whose error it is
     */
    boolean rollsBack(SQLException e, Connection connection) throws SQLException {
        return false;
    }

    /** Whether the user of a connection may not run a statement that the user of the backend may. */
    boolean mayNotCall(SQLException e) {
        return false;
    }

    /** What stands round a name in a statement. */
    String quote(DatabaseMetaData data) throws SQLException {
        return data.getIdentifierQuoteString();
    }

    /**
     * Whether it speaks MySQL: a 0 for an {@code AUTO_INCREMENT} column asks for the next number, {@code #} begins a
     * comment, a backslash in a text may be half of a character, and the keys of new rows are told only if they were
     * counted.
     */
    boolean speaksMySql() {
        return false;
    }

    /**
     * Whether a column of this type has values that are put back as they are only by a session that takes every value.
     */
    boolean isLoose(String typeName) {
        return false;
    }

    /**
     * Whether a savepoint can be read-only in a transaction that writes, and constraints can wait for the end of one.
     */
    boolean readsOnlyInSavepoints() {
        return false;
    }

    @Override
    public SqlFailure failure(SQLException e) {
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        if (state.startsWith("08")) {
            return SqlFailure.BROKEN;
        }
        if (state.startsWith("40") || state.equals("23505")) {
            return SqlFailure.CONTENTION;
        }
        return state.startsWith("53") || state.startsWith("57") ? SqlFailure.REFUSED : SqlFailure.WRONG;
    }

    static Properties properties(String... pairs) {
        Properties properties = new Properties();
        for (int i = 0; i < pairs.length; i += 2) {
            properties.setProperty(pairs[i], pairs[i + 1]);
        }
        return properties;
    }

    private String filled(String source) {
        return source.replace("{clock}", clock)
                .replace("{incarnation}", incarnation.now())
                .replace("{incarnationWritten}", incarnation.written())
                .replace("{stride}", String.valueOf(LockMachine.TOKEN_STRIDE));
    }

    private static String required(String path) {
        String source = resource(path);
        if (source == null) {
            throw new IllegalStateException("Not in this jar: dev/tenon/jdbc/" + path);
        }
        return source;
    }

    private static @Nullable String resource(String path) {
        try (InputStream in = Dialect.class.getResourceAsStream(path)) {
            return in == null ? null : new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
