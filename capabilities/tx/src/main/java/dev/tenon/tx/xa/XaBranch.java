package dev.tenon.tx.xa;

import dev.tenon.TenonException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;

/**
 * The part of a transaction that one database has, in the hands of the process that began it. Used by one thread at a
 * time, except for {@link #abort}.
 */
final class XaBranch {
    private final XaId id;
    private final XaPool pool;
    private final Steps steps;
    private final boolean readOnly;
    private final XaLink link;
    private final XaHandle handle;
    private final Connection connection;
    private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.ACTIVE);

    /** How far it is. */
    enum Stage {
        /** Worked on. Whatever happens to the connection, the database rolls it back. */
        ACTIVE,
        /** Asked to prepare: it may outlive the connection. */
        PREPARING,
        /** It outlives the connection. */
        PREPARED,
        /** Nothing more to do here. */
        OVER
    }

    private XaBranch(XaId id, XaPool pool, boolean readOnly, XaLink link) {
        this.id = id;
        this.pool = pool;
        this.steps = pool.steps();
        this.readOnly = readOnly;
        this.link = link;
        this.handle = XaHandle.over(link.handle(), id.database());
        this.connection = handle.proxy();
    }

    /** Begins a branch on a connection of the pool. */
    static XaBranch start(XaId id, XaPool pool, boolean readOnly) {
        XaLink link = pool.borrow();
        pool.live().add(id);
        XaBranch branch = new XaBranch(id, pool, readOnly, link);
        try {
            if (readOnly) {
                link.handle().setReadOnly(true);
            }
            pool.steps().during("start " + id.database(), () -> link.resource().start(id, XAResource.TMNOFLAGS));
            return branch;
        } catch (SQLException | XAException e) {
            branch.evict();
            throw new TenonException("Database \"" + id.database() + "\" begins no branch: " + text(e), e);
        } catch (RuntimeException e) {
            branch.evict();
            throw e;
        }
    }

    String database() {
        return id.database();
    }

    boolean isReadOnly() {
        return readOnly;
    }

    Stage stage() {
        return Objects.requireNonNull(stage.get(), "it has one from the beginning");
    }

    /** For the business code. */
    Connection connection() {
        return connection;
    }

    /**
     * Votes yes by returning. Marks first: what PostgreSQL has broken off inside would be "prepared" to nothing
     * otherwise.
     */
    void prepare() throws SQLException, XAException {
        mark();
        stage.set(Stage.PREPARING);
        int vote =
                steps.around("prepare " + id.database(), () -> link.resource().prepare(id));
        if (vote == XAResource.XA_RDONLY) {
            over();
        } else {
            stage.set(Stage.PREPARED);
        }
    }

    /** Commits the only branch that there is. */
    void commitAlone() throws SQLException, XAException {
        mark();
        stage.set(Stage.PREPARING);
        steps.during("commit " + id.database(), () -> link.resource().commit(id, true));
        over();
    }

    private void mark() throws SQLException, XAException {
        steps.during("mark " + id.database(), () -> pool.mark(connection, id));
        handle.end();
        link.resource().end(id, XAResource.TMSUCCESS);
    }

    /**
     * Commits what is prepared; false if it is not known whether it is committed now. Its connection is closed then.
     */
    boolean commit() {
        return finish("commit", () -> link.resource().commit(id, false));
    }

    /** Rolls back, however far it is; false if it may be prepared still. Its connection is closed then. */
    boolean rollback() {
        boolean mayBePrepared = stage() == Stage.PREPARED || stage() == Stage.PREPARING;
        boolean well = finish("rollback", () -> {
            if (stage() == Stage.ACTIVE) {
                endActive();
            }
            link.resource().rollback(id);
        });
        return well || !mayBePrepared;
    }

    private boolean finish(String step, Steps.Act<XAException> end) {
        if (stage() == Stage.OVER) {
            return true;
        }
        handle.end();
        try {
            steps.during(step + " " + id.database(), end);
        } catch (XAException | RuntimeException e) {
            evict(); // whether it happened is for recovery to find out
            return false;
        }
        over();
        return true;
    }

    private void endActive() {
        try {
            link.resource().end(id, XAResource.TMFAIL);
        } catch (XAException e) {
            // Ended already, or rolled back by the database: both may be rolled back.
        }
    }

    private void over() {
        if (stage.getAndSet(Stage.OVER) == Stage.OVER) {
            return;
        }
        pool.live().remove(id);
        if (handle.isChanged() || !isAsBefore()) {
            pool.evict(link);
        } else {
            pool.giveBack(link);
        }
    }

    private boolean isAsBefore() {
        try {
            if (readOnly) {
                link.handle().setReadOnly(false);
            }
            return true;
        } catch (SQLException e) {
            return false;
        }
    }

    /** Closes the connection, on which nothing is under way. Harmless when it is over. */
    void evict() {
        leave(() -> {});
    }

    /**
     * As {@link #evict}, whatever is under way on the connection: a thread that waits there for an answer gets an
     * error.
     */
    void abort() {
        leave(link::abort);
    }

    private void leave(Runnable first) {
        handle.end();
        if (stage.getAndSet(Stage.OVER) != Stage.OVER) { // or the link has another user by now
            first.run();
            pool.evict(link);
            pool.live().remove(id);
        }
    }

    /** What an exception says; those of XA have a number instead of a message at times. */
    static String text(Exception e) {
        String message = e.getMessage();
        if (e instanceof XAException xa && message == null) {
            return "XA error " + xa.errorCode;
        }
        return message == null ? e.toString() : message;
    }
}
