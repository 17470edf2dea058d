package dev.tenon.jdbc;

import dev.tenon.tx.Barrier;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionId;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A connection that notes what its statements change. Its local transaction is committed once, and with it, behind the
 * barrier, what it takes to undo it. One thread at a time.
 */
final class UndoConnection implements InvocationHandler {
    private final Connection raw;
    private final UndoWatch watch;
    private final UndoLog log;
    private final Barrier barrier;
    private final BranchCall call;
    private final Predicate<TransactionId> closed;
    private final boolean auto;
    private final List<UndoImage> images = new ArrayList<>();
    private boolean locked;
    private boolean committed;
    private boolean spoiled;

    private UndoConnection(
            Connection raw, UndoLog log, Barrier barrier, BranchCall call, Predicate<TransactionId> closed)
            throws SQLException {
        this.watch = new UndoWatch(raw, log.dialect());
        this.raw = watch.connection();
        this.auto = raw.getAutoCommit();
        this.log = log;
        this.barrier = barrier;
        this.call = call;
        this.closed = closed;
    }

    /**
     * Wraps a connection that is in no transaction.
     *
     * @param call the branch, with {@link dev.tenon.tx.Operation#TRY}
     * @param closed whether an operator has closed a transaction as it is, so that its rows are free
     */
    static Connection wrap(
            Connection raw, UndoLog log, Barrier barrier, BranchCall call, Predicate<TransactionId> closed)
            throws SQLException {
        UndoConnection undo = new UndoConnection(raw, log, barrier, call, closed);
        raw.setAutoCommit(false);
        return proxy(Connection.class, undo);
    }

    static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(UndoConnection.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** Calls the driver, and throws what it throws. */
    static @Nullable Object delegate(Object target, Method method, @Nullable Object @Nullable [] args)
            throws Throwable {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] args) throws Throwable {
        switch (method.getName()) {
            case "prepareStatement":
                return prepare((Connection) proxy, method, args);
            case "createStatement":
                requireReadOnly(args, 0);
                if (delegate(raw, method, args) instanceof Statement statement) {
                    return proxy(Statement.class, new UndoPlainStatement((Connection) proxy, reading(), statement));
                }
                throw new SQLException("The driver gave no statement");
            case "commit":
                commit();
                return null;
            case "rollback":
                if (args != null && args.length > 0) {
                    throw new SQLFeatureNotSupportedException("Automatic undo has no savepoints inside a branch");
                }
                images.clear();
                spoiled = false;
                raw.rollback();
                watch.begins();
                locked = false;
                return null;
            case "close":
                close();
                return null;
            case "getMetaData":
                return metaData((Connection) proxy, raw.getMetaData());
            case "setAutoCommit":
                if (args != null && Boolean.TRUE.equals(args[0])) {
                    throw new SQLFeatureNotSupportedException(
                            "A branch is one local transaction, and is committed with the whole: no autocommit");
                }
                return null;
            case "setSchema", "setCatalog":
                if (args == null || !String.valueOf(args[0]).equals(place(method.getName()))) {
                    throw new SQLFeatureNotSupportedException(method.getName()
                            + ": the undo would look for the rows elsewhere; name the schema in the statement");
                }
                return null;
            case "prepareCall", "setSavepoint", "unwrap":
                throw new SQLFeatureNotSupportedException(
                        method.getName() + ": automatic undo would not see what is done there");
            default:
                return delegate(raw, method, args);
        }
    }

    private String place(String setter) throws SQLException {
        return String.valueOf(setter.equals("setSchema") ? raw.getSchema() : raw.getCatalog());
    }

    private Object prepare(Connection proxy, Method method, @Nullable Object @Nullable [] args) throws Throwable {
        String sql = String.valueOf(args == null ? null : args[0]);
        UndoStatement parsed = UndoStatement.parse(sql, log.dialect().speaksMySql());
        requireReadOnly(args, 1);
        if (parsed.kind() == UndoStatement.Kind.QUERY) {
            PreparedStatement query =
                    delegate(raw, method, args) instanceof PreparedStatement one ? one : raw.prepareStatement(sql);
            return proxy(PreparedStatement.class, new UndoQuery(proxy, reading(), sql, query));
        }
        requireOpen();
        PreparedStatement statement = parsed.kind() == UndoStatement.Kind.INSERT
                ? prepareInsert(sql, parsed, args)
                : raw.prepareStatement(sql);
        return proxy(PreparedStatement.class, new UndoPreparedStatement(proxy, this, parsed, statement));
    }

    /** With the keys that were asked for by name, in their order, and after them those that the undo needs. */
    private PreparedStatement prepareInsert(String sql, UndoStatement parsed, @Nullable Object @Nullable [] args)
            throws SQLException {
        if (args == null || args.length != 2 || !(args[1] instanceof String[] asked) || asked.length == 0) {
            return raw.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS);
        }
        List<String> names = new ArrayList<>(List.of(asked));
        UndoTable table = table(parsed);
        for (String key : table.key()) {
            if (names.stream().noneMatch(key::equalsIgnoreCase)) {
                names.add(table.column(key).name());
            }
        }
        return raw.prepareStatement(sql, names.toArray(String[]::new));
    }

    /** Refuses rows that can be changed in place. */
    private static void requireReadOnly(@Nullable Object @Nullable [] args, int first) throws SQLException {
        if (args != null
                && args.length > first + 1
                && !Integer.valueOf(ResultSet.CONCUR_READ_ONLY).equals(args[first + 1])) {
            throw new SQLFeatureNotSupportedException(
                    "CONCUR_UPDATABLE: automatic undo would not see what is changed through a result set; use UPDATE");
        }
    }

    /** Metadata that leads to no connection but {@code proxy}. */
    static DatabaseMetaData metaData(Connection proxy, DatabaseMetaData data) {
        return proxy(DatabaseMetaData.class, (self, method, args) -> {
            switch (method.getName()) {
                case "getConnection":
                    return proxy;
                case "unwrap":
                    throw new SQLFeatureNotSupportedException("unwrap: a way round automatic undo");
                default:
                    Object result = delegate(data, method, args);
                    return result instanceof ResultSet rows ? UndoResult.wrap(rows, null) : result;
            }
        });
    }

    private UndoReading reading() {
        return new UndoReading(raw, log.dialect());
    }

    private void requireOpen() throws SQLException {
        if (committed) {
            throw new SQLException(
                    "This branch is committed already; ask the transaction for another connection to change more");
        }
    }

    private void commit() throws SQLException {
        watch.requireNotLost();
        if (spoiled) {
            throw new SQLException(
                    "A statement of this branch has changed rows that can't be undone, as its error said:"
                            + " roll back");
        }
        if (raw.isClosed()) {
            if (images.isEmpty()) {
                return;
            }
            throw new SQLException("This branch was closed before it was committed, and what it changed is rolled back:"
                    + " commit it, or its transaction, first");
        }
        if (images.isEmpty() && !locked) {
            raw.commit();
            return;
        }
        requireOpen();
        try {
            Reply reply = barrier.call(raw, call, connection -> {
                log.save(connection, call, images);
                return Reply.done();
            });
            if (!(reply instanceof Reply.Done)) {
                raw.rollback();
                throw new TransactionAbortedException("Transaction " + call.gid() + " was aborted: " + call.branch()
                        + " can't be committed any more, and is rolled back");
            }
            raw.commit();
        } catch (SQLException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new SQLException(e);
        }
        committed = true;
        locked = false;
        images.clear();
    }

    private void close() throws SQLException {
        if (raw.isClosed()) {
            return;
        }
        try {
            raw.rollback();
            raw.setAutoCommit(auto);
        } finally {
            raw.close();
        }
    }

    Connection raw() {
        return raw;
    }

    boolean speaksMySql() {
        return log.dialect().speaksMySql();
    }

    UndoTable table(UndoStatement statement) throws SQLException {
        return log.table(raw, statement.bareTable());
    }

    void forgetTable(UndoStatement statement) {
        log.forgetTable(statement.bareTable());
    }

    void lock(UndoTable table, List<UndoRow> rows) throws SQLException {
        requireOpen();
        // Even if this or the statement fails: the locks so far are in the local transaction, and whoever ends the
        // branch has to find it.
        locked |= !rows.isEmpty();
        log.lock(raw, call, table, rows, closed);
    }

    void note(UndoImage image) {
        images.add(image);
    }

    /** A statement has run, and what it did could not be noted: this must not be committed. */
    void spoil() {
        spoiled = true;
    }
}
