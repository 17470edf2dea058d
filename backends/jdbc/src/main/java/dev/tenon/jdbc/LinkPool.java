package dev.tenon.jdbc;

import dev.tenon.TimeSource;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * A bounded stock of links to one database, the one used last going out first.
 *
 * <p>Why not a pool from the shelf: those ask a connection that has rested (HikariCP: for half a second) whether it is
 * alive, which is a second round trip before the one that counts. Every call of this backend can be repeated, so a dead
 * link is found by using it (see {@link SqlCalls}). Who wants a pool of their own hands its {@code DataSource} to
 * {@link JdbcBackend#over}.
 */
final class LinkPool implements Links {
    private static final Duration REST_MAX = Duration.ofSeconds(60);

    private final Connector connector;
    private final Semaphore permits;
    private final Duration patience;
    private final TimeSource time;
    private final ConcurrentLinkedDeque<Link> resting = new ConcurrentLinkedDeque<>();
    private volatile boolean closed;

    /** Opens a connection. */
    @FunctionalInterface
    interface Connector {
        Link connect() throws SQLException;
    }

    /**
     * @param size most links out at a time
     * @param patience how long to wait for one when all are out
     */
    LinkPool(Connector connector, int size, Duration patience, TimeSource time) {
        this.connector = connector;
        this.permits = new Semaphore(size);
        this.patience = patience;
        this.time = time;
    }

    @Override
    public Link borrow(boolean fresh) throws SQLException {
        try {
            if (closed || !permits.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new SQLTransientConnectionException(
                        closed ? "The backend is closed" : "Every connection has been busy for " + patience, "08001");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLTransientConnectionException("Interrupted while waiting for a connection", "08001", e);
        }
        boolean connected = false;
        try {
            if (fresh) {
                closeResting();
            }
            Link rested = resting.pollLast();
            Link link = rested == null ? dedicated() : rested;
            connected = true;
            return link;
        } finally {
            if (!connected) {
                permits.release();
            }
        }
    }

    @Override
    public void giveBack(Link link, boolean broken) {
        if (broken || closed) {
            link.close();
        } else {
            link.rest(time.nanoTime());
            resting.addLast(link);
        }
        permits.release();
    }

    @Override
    public Link dedicated() throws SQLException {
        Link link = connector.connect();
        link.connection().setAutoCommit(true);
        return link;
    }

    @Override
    public void runOnce() {
        Link oldest = resting.pollFirst();
        while (oldest != null && time.nanoTime() - oldest.restingSinceNanos() > REST_MAX.toNanos()) {
            oldest.close();
            oldest = resting.pollFirst();
        }
        if (oldest != null) {
            resting.addFirst(oldest);
        }
    }

    @Override
    public void close() {
        closed = true;
        closeResting();
    }

    private void closeResting() {
        Link link = resting.pollLast();
        while (link != null) {
            link.close();
            link = resting.pollLast();
        }
    }
}
