package dev.tenon.jdbc;

import dev.tenon.DaemonThreads;
import dev.tenon.lock.engine.SessionAddress;
import dev.tenon.lock.spi.Grant;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * MariaDB and MySQL have no {@code NOTIFY}. What they have: a release can end a statement of another connection
 * ({@code KILL QUERY}), and the end of a statement frees the rows that it keeps locked. So a process that waits has two
 * connections: the
 * <em>keeper</em> keeps the row of the process's bell locked, in a statement that only passes the time; the
 * <em>listener</em> waits for that row, and reads what was handed over as soon as it gets it, in the same script. A
 * release that hands over to this process breaks the keeper's statement, and half a round trip later the listener has
 * told.
 *
 * <p>No ring is lost: the keeper is not sent out again before the listener has come back, the listener looks at the
 * locks after it has seen the keeper at work, and a release breaks the keeper's statement after its hand-over is
 * committed. So either that look sees the hand-over, or the statement seen at work is broken (or has ended), which ends
 * the wait.
 *
 * <p>Why not {@code GET_LOCK} held by the holder and waited for by the next: the lock would belong to a connection, so
 * each name waited for would take a connection from end of the wait to the release, and who got the lock by a timer
 * could ring for nobody. Here {@code GET_LOCK} only names the keeper's connection.
 */
final class KillQueryBell implements Bell {
    private static final Duration START_PATIENCE = Duration.ofSeconds(5);
    private static final Duration RETRY = Duration.ofMillis(500);
    private static final Duration KEPT_AT_LEAST = Duration.ofSeconds(4);
    private static final Duration REFRESH = Duration.ofHours(1);
    private static final int QUIET_MILLIS_MAX = 30_000;

    private final Dialect dialect;
    private final BellContext context;
    private final Sql open;
    private final Sql name;
    private final Sql keep;
    private final Sql listen;
    private final Sql ring;
    private final Sql stale;
    private final Sql delete;
    private final Thread thread;
    private final ExecutorService keeping;
    private final AtomicBoolean started = new AtomicBoolean();
    private final CountDownLatch tried = new CountDownLatch(1);
    private final ReentrantLock mutex = new ReentrantLock();
    private final Condition wanted = mutex.newCondition();
    private List<LockRow> told = List.of();
    private long refreshedNanos;
    private volatile boolean ready;
    private volatile boolean closed;
    private volatile @Nullable Link listener;
    private volatile @Nullable Link keeper;

    KillQueryBell(Dialect dialect, BellContext context) {
        this.dialect = dialect;
        this.context = context;
        this.open = dialect.sql(BuiltInStatement.BELL_OPEN);
        this.name = dialect.sql(BuiltInStatement.BELL_NAME);
        this.keep = dialect.sql(BuiltInStatement.BELL_KEEP);
        this.listen = dialect.sql(BuiltInStatement.BELL_LISTEN);
        this.ring = dialect.sql(BuiltInStatement.BELL_RING);
        this.stale = dialect.sql(BuiltInStatement.BELL_STALE);
        this.delete = dialect.sql(BuiltInStatement.BELL_DELETE);
        this.thread = DaemonThreads.of("tenon-jdbc-bell", this::listen);
        this.keeping = Executors.newSingleThreadExecutor(DaemonThreads.named("tenon-jdbc-bell-keeper"));
    }

    /**
     * A lock handed to this process, or none; whether the keeper was seen at work, and whether its end was waited for.
     */
    private record Heard(boolean armed, boolean woken, Optional<LockRow> row) {}

    @Override
    public void start() {
        if (!context.usable().getAsBoolean()) {
            return; // waiters use their timers
        }
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
    public void wanted() {
        mutex.lock();
        try {
            wanted.signalAll();
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public void ring(Link link, String channel, Grant grant) throws SQLException {
        if (!context.usable().getAsBoolean()) {
            return;
        }
        link.query(ring, new Args().text("channel", channel), row -> "");
    }

    @Override
    public void close() {
        closed = true;
        ready = false;
        tried.countDown();
        thread.interrupt();
        wanted();
        disconnect();
        keeping.shutdownNow();
    }

    private void listen() {
        boolean first = true;
        while (!closed) {
            try {
                connect();
                ready = !closed;
                tried.countDown();
                if (!first) {
                    context.resync().run();
                }
                while (!closed && awaitWanted()) {
                    hear();
                }
            } catch (SQLException | ExecutionException | RejectedExecutionException e) {
                // The waiters' timers take over; meanwhile this tries again.
                ready = false;
            } catch (InterruptedException e) {
                closed = true;
            } finally {
                ready = false;
                disconnect();
            }
            first = false;
            tried.countDown();
            if (!closed) {
                context.time().park(RETRY);
            }
        }
    }

    /** From sending the keeper out to its coming back. */
    private void hear() throws SQLException, ExecutionException, InterruptedException {
        Link keeps = Objects.requireNonNull(keeper);
        Link listens = Objects.requireNonNull(listener);
        long sentNanos = context.time().nanoTime();
        Future<Boolean> kept = keeping.submit(() -> keepUntilBroken(keeps));
        boolean woken = false;
        while (!woken && !kept.isDone()) {
            List<Heard> heard = listens.query(listen, channel().text("told", text(told)), KillQueryBell::read);
            List<LockRow> before = told;
            told = heard.stream().map(Heard::row).flatMap(Optional::stream).toList();
            told.stream().filter(row -> isNew(row, before)).forEach(this::tell);
            woken = heard.stream().anyMatch(Heard::woken);
        }
        boolean broken = kept.get();
        long now = context.time().nanoTime();
        boolean rowIsGone = !broken && now - sentNanos < KEPT_AT_LEAST.toNanos();
        if (rowIsGone || now - refreshedNanos > REFRESH.toNanos()) {
            keeps.update(open, channel());
            refreshedNanos = now;
        }
    }

    private static Heard read(ResultSet row) throws SQLException {
        return new Heard(
                row.getInt("armed") == 1,
                row.getInt("woken") == 1,
                row.getString("name") == null ? Optional.empty() : Optional.of(LockCalls.row(row)));
    }

    private Args channel() {
        return new Args().text("channel", context.channel());
    }

    /** True: the statement was broken by a release; false: it came to its end. */
    private boolean keepUntilBroken(Link keeps) throws SQLException {
        try {
            keeps.update(keep, channel());
            return false;
        } catch (SQLException e) {
            if (dialect.failure(e) == SqlFailure.REFUSED) {
                return true;
            }
            // The listener waits for a row that nobody keeps any more, or for a line that is dead.
            Link listens = listener;
            if (listens != null && dialect.failure(e) == SqlFailure.BROKEN) {
                listens.abort();
            }
            throw e;
        }
    }

    private void tell(LockRow row) {
        row.unclaimed().stream()
                .filter(h -> h.expiresAt().isAfter(row.now()))
                .filter(h -> SessionAddress.processOf(h.sessionId()).equals(context.channel()))
                .forEach(h -> context.heard().accept(row.grantOf(h)));
    }

    private static boolean isNew(LockRow row, List<LockRow> told) {
        return told.stream()
                .noneMatch(t -> t.state().name().equals(row.state().name())
                        && t.state().token() == row.state().token());
    }

    private static String text(List<LockRow> rows) {
        StringJoiner told = new StringJoiner(",");
        for (LockRow row : rows) {
            CRC32 crc = new CRC32();
            crc.update(row.state().name().getBytes(StandardCharsets.UTF_8));
            told.add(row.state().token() + ":" + crc.getValue());
        }
        return told.toString();
    }

    private boolean awaitWanted() throws InterruptedException {
        mutex.lock();
        try {
            while (context.waits().getAsInt() == 0 && !closed) {
                wanted.await();
            }
            return !closed;
        } finally {
            mutex.unlock();
        }
    }

    private void connect() throws SQLException {
        Link keeps = quiet(context.links().dedicated());
        keeper = keeps;
        keeps.update(open, channel());
        refreshedNanos = context.time().nanoTime();
        for (String gone : keeps.query(stale, new Args(), row -> row.getString(1))) {
            keeps.update(delete, new Args().text("channel", gone));
        }
        name(keeps, "tenon-bell:");
        Link listens = quiet(context.links().dedicated());
        listener = listens;
        name(listens, "tenon-wait:");
        if (closed) {
            disconnect();
        }
    }

    private void name(Link link, String kind) throws SQLException {
        List<Long> answer = link.query(name, channel().text("kind", kind), row -> row.getLong(1));
        if (!answer.equals(List.of(1L))) {
            throw new SQLException("The server has not yet noticed that the former connection is gone");
        }
    }

    /** These connections are silent for as long as their statements wait. */
    private static Link quiet(Link link) throws SQLException {
        link.connection().setNetworkTimeout(Runnable::run, QUIET_MILLIS_MAX);
        return link;
    }

    private void disconnect() {
        Link keeps = keeper;
        Link listens = listener;
        keeper = null;
        listener = null;
        if (keeps != null) {
            keeps.abort();
        }
        if (listens != null) {
            listens.abort();
        }
    }
}
