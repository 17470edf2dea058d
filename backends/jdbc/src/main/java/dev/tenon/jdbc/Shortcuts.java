package dev.tenon.jdbc;

import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The statements of one backend that do in one round trip what others do in several, where its database has them;
 * whoever asks for one that is not there goes the long way. On MySQL they call stored routines, which are made with the
 * tables; a user who may neither make nor call them does without. Thread-safe.
 */
final class Shortcuts {
    private static final System.Logger LOG = System.getLogger(Shortcuts.class.getName());

    private final Dialect dialect;
    private final boolean plain;
    private final AtomicBoolean told = new AtomicBoolean();
    private volatile boolean callable;

    /** @param plain whether to do without them all, for tests */
    Shortcuts(Dialect dialect, boolean plain) {
        this.dialect = dialect;
        this.plain = plain;
        this.callable = !plain && dialect.routines().isEmpty();
    }

    /** One of them. */
    final class Shortcut {
        private final @Nullable Sql sql;

        private Shortcut(@Nullable Sql sql) {
            this.sql = sql;
        }

        /** The statement, or null where there is none, or none that this user may run. */
        @Nullable
        Sql sql() {
            return callable ? sql : null;
        }
    }

    /** The one of a name, which need not be there. */
    Shortcut of(SqlStatement name) {
        return new Shortcut(plain ? null : dialect.ownSql(name));
    }

    /** As {@link #of}, of one that is a script. */
    Shortcut of(SqlStatement name, boolean alone) {
        return new Shortcut(plain ? null : dialect.ownSql(name, alone));
    }

    /** Whether they may be used; known once the tables are. */
    boolean usable() {
        return callable;
    }

    /** Makes what they need, if it may and that is not there. */
    void prepare(Link link, boolean create) throws SQLException {
        if (plain || callable) {
            return;
        }
        if (missing(link) && create) {
            create(link);
        }
        callable = !missing(link);
        if (!callable && told.compareAndSet(false, true)) {
            LOG.log(
                    Level.WARNING,
                    "Locks take two round trips instead of one, and those who wait for a lock of another process ask for it every"
                            + " 200 ms: the stored routines of Tenon are not all in this database, or this user may not run them."
                            + " GRANT CREATE ROUTINE, EXECUTE on it to this user, or have somebody run"
                            + " " + dialect.place("routine/*.sql") + " and GRANT EXECUTE");
        }
    }

    private void create(Link link) throws SQLException {
        try {
            for (Sql routine : dialect.routines()) {
                link.execute(routine.text());
            }
        } catch (SQLException e) {
            if (dialect.failure(e) != SqlFailure.WRONG) {
                throw e;
            }
            LOG.log(Level.DEBUG, "A stored routine can't be made", e);
        }
    }

    /** Somebody who may not call one is not shown it, unless they may make it. */
    private boolean missing(Link link) throws SQLException {
        Sql found = dialect.sql(BuiltInStatement.ROUTINES);
        List<String> names = link.query(found, new Args(), row -> row.getString(1));
        if (names.size() < dialect.routines().size()) {
            return true;
        }
        try {
            link.query(dialect.sql(BuiltInStatement.ROUTINE_TEST), new Args().text("channel", ""), row -> "");
            return false;
        } catch (SQLException e) {
            if (dialect.failure(e) != SqlFailure.WRONG) {
                throw e;
            }
            return true;
        }
    }
}
