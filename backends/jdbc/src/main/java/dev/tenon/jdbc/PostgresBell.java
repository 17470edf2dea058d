package dev.tenon.jdbc;

import dev.tenon.DaemonThreads;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.Revocation;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * One connection a process that listens on the process's channel; a notification carries the whole grant, so that
 * hearing it takes no round trip. Where {@code LISTEN} does not work (a proxy that shares connections between
 * transactions) the bell is never ready, which a notification to itself finds out.
 */
final class PostgresBell implements Bell {
    private static final Duration START_PATIENCE = Duration.ofSeconds(5);
    private static final Duration RETRY = Duration.ofMillis(500);
    private static final int LISTEN_MILLIS = 10_000;
    private static final int REVOCATION_FIELDS = 4;

    private final BellContext context;
    private final Sql ring;
    private final Sql test;
    private final Thread thread;
    private final AtomicBoolean started = new AtomicBoolean();
    private final CountDownLatch tried = new CountDownLatch(1);
    private volatile boolean ready;
    private volatile boolean closed;
    private volatile @Nullable Link link;

    /** Whether the one driver that is known to hear notifications is there: a pool may connect by another. */
    static boolean canListen() {
        try {
            Class.forName("org.postgresql.PGConnection", false, PostgresBell.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    PostgresBell(Dialect dialect, BellContext context) {
        this.context = context;
        this.ring = dialect.sql(BuiltInStatement.BELL_RING);
        this.test = dialect.sql(BuiltInStatement.BELL_TEST);
        this.thread = DaemonThreads.of("tenon-jdbc-bell", this::listen);
    }

    @Override
    public void start() {
        if (!closed && started.compareAndSet(false, true)) {
            thread.start();
        }
        try {
            if (!tried.await(START_PATIENCE.toNanos(), TimeUnit.NANOSECONDS)) {
                return; // not ready; waiters use their timers
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean ready() {
        return ready;
    }

    @Override
    public void wanted() {}

    @Override
    public void ring(Link link, String channel, Grant grant) throws SQLException {
        say(link, channel, Bell.message(grant));
    }

    @Override
    public void ask(Link link, String channel, Revocation revocation) throws SQLException {
        say(
                link,
                channel,
                String.join(
                        "\t",
                        revocation.name(),
                        revocation.sessionId(),
                        Long.toString(revocation.token()),
                        revocation.by()));
    }

    private void say(Link link, String channel, String message) throws SQLException {
        link.query(ring, new Args().text("channel", channel).text("message", message), row -> "");
    }

    @Override
    public void close() {
        closed = true;
        ready = false;
        Link open = link;
        if (open != null) {
            open.abort();
        }
        tried.countDown();
        thread.interrupt();
    }

    private void listen() {
        boolean first = true;
        while (!closed) {
            try {
                Link open = context.links().dedicated();
                link = open;
                try {
                    listen(open, first);
                } finally {
                    ready = false;
                    link = null;
                    open.close();
                }
            } catch (SQLException e) {
                // The waiters' timers take over; meanwhile this tries again.
                ready = false;
            }
            first = false;
            tried.countDown();
            if (!closed) {
                context.time().park(RETRY);
            }
        }
    }

    private void listen(Link open, boolean first) throws SQLException {
        PGConnection connection = open.connection().unwrap(PGConnection.class);
        open.execute("LISTEN tenon_" + context.channel());
        hello(open);
        boolean answered = false;
        while (!closed) {
            PGNotification[] heard = connection.getNotifications(LISTEN_MILLIS);
            boolean quiet = heard == null || heard.length == 0;
            if (quiet && !answered) {
                return; // not even its own voice: LISTEN does not work here, or the line is dead
            }
            if (quiet) {
                answered = false;
                hello(open);
                continue;
            }
            for (PGNotification each : heard) {
                if (!each.getParameter().isEmpty()) {
                    hear(each.getParameter());
                } else {
                    answered = true;
                    becomeReady(first);
                }
            }
        }
    }

    private void becomeReady(boolean first) {
        if (!ready && !closed) {
            ready = true;
            tried.countDown();
            if (!first) {
                context.resync().run();
            }
        }
    }

    private void hello(Link open) throws SQLException {
        open.query(test, new Args().text("channel", context.channel()), row -> "");
    }

    private void hear(String message) {
        String[] fields = message.split("\t", -1);
        if (fields.length == REVOCATION_FIELDS) {
            context.asked().accept(new Revocation(fields[0], fields[1], Long.parseLong(fields[2]), fields[3]));
        } else {
            context.heard()
                    .accept(new Grant(
                            fields[0],
                            fields[1],
                            fields[2],
                            Long.parseLong(fields[3]),
                            LockRow.duration(Long.parseLong(fields[4])),
                            LockRow.duration(Long.parseLong(fields[5]))));
        }
    }
}
