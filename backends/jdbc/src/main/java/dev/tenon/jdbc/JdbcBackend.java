package dev.tenon.jdbc;

import dev.tenon.BackendUnavailableException;
import dev.tenon.DaemonThreads;
import dev.tenon.TenonException;
import dev.tenon.TimeSource;
import dev.tenon.id.spi.BuilderConfigStore;
import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.lock.Locks;
import dev.tenon.lock.engine.SessionAddress;
import dev.tenon.lock.engine.SessionBook;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.MultiLockStore;
import dev.tenon.lock.spi.StoreTraits;
import dev.tenon.tx.Barrier;
import dev.tenon.tx.at.AtResource;
import dev.tenon.tx.engine.StoreBarrier;
import dev.tenon.tx.spi.BarrierStore;
import dev.tenon.tx.spi.LocalTransactionStore;
import dev.tenon.tx.spi.OutboxStore;
import java.lang.System.Logger.Level;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/**
 * Locks, ranges, worker IDs, ID definitions and the ID-builder service in a relational database: H2, MariaDB 10.6,
 * MySQL 8.0.29, PostgreSQL 12, or newer. Everything runs on short connections of its own in autocommit mode, never in a
 * transaction of the caller's. {@code docs/backends/jdbc.md} says what is guaranteed, and what is not. Thread-safe.
 */
public final class JdbcBackend implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(JdbcBackend.class.getName());

    private static final Pattern UNNAMED_H2 = Pattern.compile("jdbc:h2:mem:(;.*)?");
    private static final Duration SWEEP_EVERY = Duration.ofSeconds(30);
    private static final Duration CONNECTION_PATIENCE = Duration.ofSeconds(5);
    private static final Duration THREAD_REST_MAX = Duration.ofSeconds(30);
    private static final int CALLS_WAITING_MAX = 10_000;

    private final Dialect dialect;
    private final Links links;
    private final SqlCalls sql;
    private final SqlCalls userTables;
    private final ThreadPoolExecutor executor;
    private final ScheduledThreadPoolExecutor timer;
    private final SessionBook sessions;
    private final LockSweeper sweeper;
    private final JdbcLockStore lockStore;
    private final JdbcRangeStore ranges;
    private final JdbcDefinitionStore definitions;
    private final JdbcBuilderConfigStore builderConfigs;
    private final JdbcTransactionStore transactions;
    private final JdbcBarrierStore barriers;
    private final Locks locks;

    /** @param plain whether to do without the statements that only some dialects have, for tests */
    JdbcBackend(Dialect dialect, Links links, JdbcOptions options, boolean plain) {
        TimeSource time = TimeSource.system();
        this.dialect = dialect;
        this.links = links;
        Shortcuts shortcuts = new Shortcuts(dialect, plain);
        this.sql = new SqlCalls(links, dialect, new Schema(dialect, shortcuts, options.createTables()), time);
        this.userTables = new SqlCalls(links, dialect, Schema.notNeeded(dialect), time);
        this.executor = executor(options.connections());
        this.timer = new ScheduledThreadPoolExecutor(1, DaemonThreads.numbered("tenon-jdbc-sweeper"));
        String channel = channel();
        this.sessions = new SessionBook(time, LockMachine.CLAIM_LEASE);
        Bell bell = plain
                ? new NoBell()
                : dialect.bell(new BellContext(
                        links,
                        channel,
                        sessions::waiting,
                        grant -> sessions.granted(SessionAddress.local(grant)),
                        revocation -> sessions.revokeAsked(SessionAddress.local(revocation)),
                        sessions::resync,
                        shortcuts::usable,
                        time));
        StoreTraits traits = new StoreTraits(
                StoreTraits.TokenSource.STORE_CLOCK,
                plain ? StoreTraits.Push.TIMED : dialect.push(),
                true,
                false,
                Duration.ofMillis(1));
        LockCalls calls = new LockCalls(dialect, shortcuts, channel, bell);
        this.lockStore = new JdbcLockStore(
                new JdbcLockStore.Parts(
                        sql,
                        calls,
                        new LockCallsOfMany(calls, dialect, shortcuts),
                        new LockListing(sql, dialect),
                        sessions,
                        bell),
                traits,
                executor);
        this.sweeper = new LockSweeper(sql, dialect, options.forgetAfter(), lockStore::settle);
        this.locks = Locks.over(lockStore);
        this.ranges = new JdbcRangeStore(sql, dialect, shortcuts);
        this.definitions = new JdbcDefinitionStore(sql, dialect);
        this.transactions = new JdbcTransactionStore(sql, dialect, shortcuts);
        this.barriers = new JdbcBarrierStore(sql, dialect);
        this.builderConfigs = new JdbcBuilderConfigStore(userTables, dialect);
        this.timer.scheduleWithFixedDelay(
                this::sweep, SWEEP_EVERY.toMillis(), SWEEP_EVERY.toMillis(), TimeUnit.MILLISECONDS);
    }

    /**
     * A backend with connections of its own. Nothing is connected before the first call.
     *
     * @param url {@code jdbc:h2:…}, {@code jdbc:mariadb:…}, {@code jdbc:mysql:…} or {@code jdbc:postgresql:…}; its
     *     driver is the application's to bring: without it the first call fails, and says what to add
     * @throws IllegalArgumentException if there is no dialect for the URL; {@link JdbcOptions#withDialect} takes one
     */
    public static JdbcBackend connect(String url) {
        return connect(url, new Properties(), JdbcOptions.DEFAULT);
    }

    /** As {@link #connect(String)}, with a user and a password. */
    public static JdbcBackend connect(String url, String user, String password) {
        return connect(url, user, password, JdbcOptions.DEFAULT);
    }

    /** As {@link #connect(String, String, String)}, with options. */
    public static JdbcBackend connect(String url, String user, String password, JdbcOptions options) {
        Properties credentials = new Properties();
        credentials.setProperty("user", Objects.requireNonNull(user, "user"));
        credentials.setProperty("password", Objects.requireNonNull(password, "password"));
        return connect(url, credentials, options);
    }

    /**
     * A backend over connections of the caller's pool, one for each call, from a {@code DataSource} that does not tie
     * them to the caller's transaction. It is connected once to see which database it is.
     *
     * @throws BackendUnavailableException if that fails
     */
    public static JdbcBackend over(DataSource source) {
        return over(source, JdbcOptions.DEFAULT);
    }

    /** As {@link #over(DataSource)}, with options. */
    public static JdbcBackend over(DataSource source, JdbcOptions options) {
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(options, "options");
        Dialect dialect = options.dialect().<Dialect>map(PluggedDialect::new).orElseGet(() -> dialectOf(source));
        return new JdbcBackend(dialect, new DataSourceLinks(source, dialect.isolation()), options, false);
    }

    private static Dialect dialectOf(DataSource source) {
        try (Connection connection = source.getConnection()) {
            return Dialect.of(connection.getMetaData());
        } catch (SQLException e) {
            throw new BackendUnavailableException("No connection to the database: " + e.getMessage(), e);
        }
    }

    /** The locks of this backend. */
    public Locks locks() {
        return locks;
    }

    /** The store of locks, for those who want locks with an owner or a clock of their own. */
    public MultiLockStore lockStore() {
        return lockStore;
    }

    /** The store of ranges. */
    public RangeStore ranges() {
        return ranges;
    }

    /** The store of ID definitions. */
    public DefinitionStore definitions() {
        return definitions;
    }

    /**
     * The codes of the ID-builder service, in the table {@code t_id_builder_config} of this database: one that is there
     * already works as it is. For {@link dev.tenon.id.builder.LocalIdBuilder}. Needs none of Tenon's own tables.
     */
    public BuilderConfigStore builderConfigs() {
        return builderConfigs;
    }

    /** Makes the table {@code t_id_builder_config}, unless it is there; it is never made without being asked for. */
    public void createIdBuilderTable() {
        userTables.run((link, doubt) -> {
            Schema.run(link, dialect.script(SqlStatement.ID_BUILDER));
            return true;
        });
    }

    /**
     * A sequence without gaps, for the transactions of the caller. Makes sure, on a connection of its own, that the
     * sequence is there: call it when the application starts, not within a transaction. A fresh one begins with 1, 2,
     * 3, …; define another start or step by {@link #ranges} before.
     *
     * @throws BackendUnavailableException if the database can't be asked
     * @throws IllegalArgumentException if that is no name ({@link dev.tenon.Names})
     */
    public GapFreeSequence gapFree(String name) {
        if (ranges.definition(name).isEmpty()) {
            ranges.raiseTo(name, Long.MIN_VALUE); // begins it, and raises nothing
        }
        return new GapFreeSequence(dialect, name);
    }

    /**
     * Fencing inside the transactions of the caller. Makes sure, on a connection of its own, that the table is there:
     * call it when the application starts, not within a transaction.
     *
     * @throws BackendUnavailableException if the database can't be asked
     */
    public JdbcFence fence() {
        sql.run((link, doubt) -> true); // looks for the tables
        return new JdbcFence(dialect);
    }

    /**
     * The log of transactions in this database, where local transactions can begin and decide them. Makes sure, on a
     * connection of its own, that the tables are there: call it when the application starts, not within a transaction.
     * For {@link dev.tenon.tx.engine.TransactionEngine#over}.
     *
     * @throws BackendUnavailableException if the database can't be asked
     */
    public LocalTransactionStore transactions() {
        sql.run((link, doubt) -> true); // looks for the tables
        return transactions;
    }

    /**
     * The barrier of participants whose tables are in this database. Makes sure, on a connection of its own, that the
     * table is there: call it when the application starts, not within a transaction.
     *
     * @throws BackendUnavailableException if the database can't be asked
     */
    public Barrier barrier() {
        return new StoreBarrier(barrierStore());
    }

    /**
     * The rows of the {@link #barrier}, for those who forget old ones ({@link BarrierStore#purge}): nobody else does.
     */
    public BarrierStore barrierStore() {
        sql.run((link, doubt) -> true); // looks for the tables
        return barriers;
    }

    /**
     * Automatic undo in this database, for {@link dev.tenon.tx.at.AtTransactions}. Makes sure, on a connection of its
     * own, that the tables are there: call it when the application starts. Needs JSqlParser on the class path.
     *
     * @param source connections to this database that are in no transaction
     * @throws BackendUnavailableException if the database can't be asked
     * @throws TenonException if the backend's dialect is not one that Tenon comes with
     */
    public AtResource autoUndo(DataSource source) {
        dialect.requireUndo();
        DataSource rows = source instanceof GlobalDataSource global ? global.plain() : source;
        return new JdbcAutoUndo(Objects.requireNonNull(rows, "source"), barrier(), new UndoLog(dialect));
    }

    /**
     * The local message table of this database, for {@link dev.tenon.tx.message.Outbox}. Makes sure, on a connection of
     * its own, that the table is there: call it when the application starts, not within a transaction.
     *
     * @throws BackendUnavailableException if the database can't be asked
     */
    public OutboxStore outbox() {
        sql.run((link, doubt) -> true); // looks for the tables
        return new JdbcOutboxStore(sql, dialect);
    }

    /**
     * The worker IDs of a group.
     *
     * @throws IllegalArgumentException if that is no name ({@link dev.tenon.Names})
     */
    public WorkerIdSource workerIds(String group) {
        return new JdbcWorkerIdSource(sql, dialect, group);
    }

    /**
     * Removes the rows of locks that nobody uses any more, and closes connections that have rested. Runs by itself
     * every 30 seconds; two passes are needed before a row goes.
     */
    public void runOnce() {
        links.runOnce();
        sessions.runOnce();
        sweeper.runOnce();
    }

    /** Gives back what this process holds, and closes its connections. Idempotent. */
    @Override
    public void close() {
        timer.shutdownNow();
        locks.close();
        lockStore.close();
        executor.shutdown();
        links.close();
    }

    /**
     * Closes the connections and gives nothing back, as the end of the process would: what is held stays held until its
     * lease ends. For a process that holds on behalf of others, who go on. Idempotent.
     */
    public void disconnect() {
        timer.shutdownNow();
        lockStore.disconnect();
        executor.shutdown();
        links.close();
    }

    private static JdbcBackend connect(String url, Properties credentials, JdbcOptions options) {
        return connect(url, credentials, options, false);
    }

    static JdbcBackend connect(String url, Properties credentials, JdbcOptions options, boolean plain) {
        Objects.requireNonNull(options, "options");
        Objects.requireNonNull(url, "url");
        Dialect dialect = options.dialect().<Dialect>map(PluggedDialect::new).orElseGet(() -> Dialect.ofUrl(url));
        if (UNNAMED_H2.matcher(url).matches()) {
            throw new IllegalArgumentException(
                    "An H2 database in memory without a name is another one for each connection; name it:"
                            + " jdbc:h2:mem:NAME");
        }
        Properties properties = new Properties();
        dialect.driverProperties().forEach((key, value) -> {
            if (!url.contains(key + "=")) {
                properties.put(key, value);
            }
        });
        properties.putAll(credentials);
        LinkPool pool = new LinkPool(
                () -> {
                    Connection connection = Drivers.connect(url, properties);
                    return new Link(connection, dialect.isolates(connection, properties) ? null : dialect.isolation());
                },
                options.connections(),
                CONNECTION_PATIENCE,
                TimeSource.system());
        return new JdbcBackend(dialect, pool, options, plain);
    }

    /** A pass of the timer, which ends for good if anything is thrown from it. */
    void sweep() {
        try {
            runOnce();
        } catch (RuntimeException | Error e) {
            // The next pass does what this one could not.
            Level level = e instanceof TenonException ? Level.DEBUG : Level.WARNING;
            LOG.log(level, "A pass has failed, and is tried again", e);
        }
    }

    private static ThreadPoolExecutor executor(int size) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                size,
                size,
                THREAD_REST_MAX.toMillis(),
                TimeUnit.MILLISECONDS,
                new LinkedBlockingQueue<>(CALLS_WAITING_MAX),
                DaemonThreads.numbered("tenon-jdbc"));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /** Where this process listens: unique among all that ever use the database. */
    private static String channel() {
        byte[] random = new byte[8];
        new SecureRandom().nextBytes(random);
        StringBuilder channel = new StringBuilder();
        for (byte b : random) {
            channel.append("%02x".formatted(b));
        }
        return channel.toString();
    }
}
