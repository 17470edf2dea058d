package dev.tenon.tx.xa;

import dev.tenon.BackendUnavailableException;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Operation;
import dev.tenon.tx.spi.BarrierStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/**
 * The connections to one database. One comes back only after its transaction has ended well; what has failed, or has
 * been changed, is closed. Thread-safe.
 */
final class XaPool implements AutoCloseable {
    /** What was used so lately is taken for alive, as connection pools do. */
    private static final Duration TRUSTED = Duration.ofMillis(500);

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration BRANCH_PATIENCE = Duration.ofSeconds(3);
    private static final int ALIVE_SECONDS = 2;
    private static final int RECOVERY_CONNECTIONS = 2;

    private final String name;
    private final XaDatabase database;
    private final Steps steps;
    private final Semaphore room;

    /** Recovery has room of its own: the others may all wait for a lock that only recovery can let go. */
    private final Semaphore recoveryRoom = new Semaphore(RECOVERY_CONNECTIONS);

    private final ConcurrentLinkedDeque<XaLink> idle = new ConcurrentLinkedDeque<>();
    private final Set<XaId> live = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    XaPool(String name, XaDatabase database, Steps steps) {
        this.name = name;
        this.database = database;
        this.steps = steps;
        this.room = new Semaphore(database.connections());
    }

    String name() {
        return name;
    }

    Steps steps() {
        return steps;
    }

    /** The branches that are in the hands of transactions of this process. */
    Set<XaId> live() {
        return live;
    }

    /** How many connections wait for their next user. */
    int idle() {
        return idle.size();
    }

    /** How many connections are in use. */
    int used() {
        return database.connections() - room.availablePermits();
    }

    /**
     * A connection outside of any transaction. Its user gives it back or evicts it.
     *
     * @throws BackendUnavailableException if there is none, for 10 s
     */
    XaLink borrow() {
        return borrow(room);
    }

    private XaLink borrow(Semaphore from) {
        take(from);
        try {
            for (XaLink link = idle.pollLast(); link != null; link = idle.pollLast()) {
                if (isAlive(link)) {
                    return link;
                }
                link.close();
            }
            return new XaLink(database.source().getXAConnection());
        } catch (SQLException e) {
            from.release();
            throw new BackendUnavailableException(
                    "Database \"" + name + "\" gives no connection: " + e.getMessage(), e);
        } catch (RuntimeException | Error e) {
            from.release();
            throw e;
        }
    }

    private void take(Semaphore from) {
        try {
            if (closed || !from.tryAcquire(PATIENCE.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new BackendUnavailableException(
                        closed
                                ? "The databases are closed"
                                : "All " + database.connections() + " connections to \"" + name
                                        + "\" are in use, and have" + " been for " + PATIENCE
                                        + ": allow more, or end transactions sooner");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BackendUnavailableException("Interrupted while waiting for a connection to \"" + name + "\"", e);
        }
    }

    private static boolean isAlive(XaLink link) {
        try {
            link.renew();
            return System.nanoTime() - link.usedNanos() < TRUSTED.toNanos()
                    || link.handle().isValid(ALIVE_SECONDS);
        } catch (SQLException e) {
            return false;
        }
    }

    /** Back, after all went well. */
    void giveBack(XaLink link) {
        giveBack(link, room);
    }

    private void giveBack(XaLink link, Semaphore to) {
        link.used(System.nanoTime());
        if (closed) {
            link.close();
        } else {
            idle.addLast(link);
        }
        to.release();
    }

    /** Closed, as its state is not known. */
    void evict(XaLink link) {
        evict(link, room);
    }

    private static void evict(XaLink link, Semaphore to) {
        try {
            link.close();
        } finally {
            to.release();
        }
    }

    /** Work on a connection. */
    @FunctionalInterface
    interface Work<T> {
        T run(XaLink link) throws SQLException, XAException;
    }

    /** Does something on a connection that is not part of a transaction. */
    <T> T call(Work<T> work) throws SQLException, XAException {
        XaLink link = borrow(recoveryRoom);
        boolean well = false;
        try {
            T result = work.run(link);
            well = true;
            return result;
        } finally {
            if (well) {
                giveBack(link, recoveryRoom);
            } else {
                evict(link, recoveryRoom);
            }
        }
    }

    /** Writes the marker of a branch, in the branch. */
    void mark(Connection connection, XaId id) throws SQLException {
        Optional<BarrierStore.Row> row = database.markers().insert(connection, call(id, Operation.TRY), Operation.TRY);
        if (row.isPresent()) {
            throw new SQLException("There is a marker of " + id + " already: two transactions have one ID");
        }
    }

    /**
     * Whether a branch was committed. If it is not over yet, this waits a while for it to end, and then fails; so "no"
     * means never. It may well be prepared meanwhile, and then only the caller can end it, when it asks again.
     */
    boolean isMarked(XaLink link, XaId id) throws SQLException {
        Connection connection = link.handle();
        connection.setAutoCommit(false);
        Optional<BarrierStore.Row> row =
                database.markers().insert(connection, call(id, Operation.CHECK), Operation.TRY, BRANCH_PATIENCE);
        connection.rollback();
        connection.setAutoCommit(true);
        return row.filter(found -> found.writtenBy() == Operation.TRY).isPresent();
    }

    private BranchCall call(XaId id, Operation operation) {
        return new BranchCall(id.gid(), name, operation, XaDatabases.target(name), "", Map.of(), 1);
    }

    /**
     * The branches of a service that are prepared.
     *
     * @throws XAException if the database does not list them, and why
     */
    List<XaId> prepared(XaLink link, String service) throws XAException {
        List<XaId> found = new ArrayList<>();
        for (Xid xid : listed(link)) {
            XaId.of(xid, service, name).ifPresent(found::add);
        }
        return found;
    }

    private Xid[] listed(XaLink link) throws XAException {
        try {
            return link.resource().recover(XAResource.TMSTARTRSCAN | XAResource.TMENDRSCAN);
        } catch (XAException e) {
            if (e.errorCode != XAException.XAER_RMERR) {
                throw e;
            }
            // All that MySQL says to a user without the privilege is that there was a fatal error.
            XAException refused = new XAException("Database \"" + name + "\" does not list what is prepared there ("
                    + XaBranch.text(e) + "). On MySQL its user needs the privilege XA_RECOVER_ADMIN");
            refused.errorCode = e.errorCode;
            refused.initCause(e);
            throw refused;
        }
    }

    /** Closes what is idle; what is in use is closed when it comes back. Idempotent. */
    @Override
    public void close() {
        closed = true;
        for (XaLink link = idle.pollLast(); link != null; link = idle.pollLast()) {
            link.close();
        }
    }
}
