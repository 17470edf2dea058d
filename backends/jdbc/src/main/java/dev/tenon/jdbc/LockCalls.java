package dev.tenon.jdbc;

import dev.tenon.OutcomeUnknownException;
import dev.tenon.jdbc.Shortcuts.Shortcut;
import dev.tenon.lock.engine.SessionAddress;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.LockMachine.Step;
import dev.tenon.lock.spi.LockState;
import dev.tenon.lock.spi.LockState.Holder;
import dev.tenon.lock.spi.LockState.Waiter;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Revocation;
import java.lang.System.Logger.Level;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Lock calls as statements. What is common is one statement that does it inside the database; everything else, and
 * every case that such a statement leaves alone, is read, put through {@link LockMachine} and written back under the
 * row's version, again if somebody was faster. Blocking; thread-safe.
 */
final class LockCalls {
    private static final System.Logger LOG = System.getLogger(LockCalls.class.getName());
    private static final int WRITES_MAX = 50;

    private final AtomicBoolean told = new AtomicBoolean();
    private final String channel;
    private final Bell bell;
    private final Sql read;
    private final Sql write;
    private final Sql insert;
    private final Shortcut writeAndTell;
    private final Shortcut acquire;
    private final Shortcut release;

    LockCalls(Dialect dialect, Shortcuts shortcuts, String channel, Bell bell) {
        this.channel = channel;
        this.bell = bell;
        this.read = dialect.sql(SqlStatement.LOCK_READ);
        this.write = dialect.sql(SqlStatement.LOCK_WRITE);
        this.insert = dialect.sql(SqlStatement.LOCK_INSERT);
        this.writeAndTell = shortcuts.of(SqlStatement.LOCK_WRITE_TELL);
        this.acquire = shortcuts.of(SqlStatement.LOCK_ACQUIRE);
        this.release = shortcuts.of(SqlStatement.LOCK_RELEASE);
    }

    /**
     * What a call came to.
     *
     * @param grants that it brought about for waiters of this process, who must still be told
     */
    record Done<T>(T answer, List<Grant> grants) {}

    /** A call of the state machine. */
    @FunctionalInterface
    interface Transition<T> {
        Step<T> apply(LockState state, Instant now, long seed);
    }

    Done<Outcome> acquire(Link link, Acquire request) throws SQLException {
        Transition<Outcome> transition = acquiring(request);
        Sql atOnce = acquire.sql();
        LockRow row = atOnce == null || !LockText.isPlain(request.terms())
                ? read(link, request.name())
                : acquireAtOnce(link, atOnce, request, address(request.sessionId()));
        // To the machine a request that the statement has granted or queued is a repeated one: it answers, and writes
        // nothing.
        Done<Outcome> done = run(link, row, transition);
        return new Done<>(done.answer(), others(done.grants(), List.of(request)));
    }

    /** What the state machine does about a request of this process. */
    Transition<Outcome> acquiring(Acquire request) {
        Duration lease = request.lease().orElseThrow();
        SessionAddress address = address(request.sessionId());
        return (state, now, seed) ->
                addressed(LockMachine.acquire(state, request, lease, now, seed), request.requestId(), address);
    }

    /** The grants that are not to these very requests, whose answers they are in. */
    static List<Grant> others(List<Grant> grants, List<Acquire> requests) {
        return grants.stream()
                .filter(g -> requests.stream().noneMatch(r -> r.requestId().equals(g.requestId())))
                .toList();
    }

    /** The values for writing a step over its row. */
    Args args(LockRow row, Step<?> step) {
        return row.write(step, channel);
    }

    /** Tells the other processes of their grants. */
    void ring(Link link, List<Grant> grants) throws SQLException {
        for (Grant grant : foreign(grants)) {
            bell.ring(link, SessionAddress.processOf(grant.sessionId()), grant);
        }
    }

    /** Where a session of this process lives. */
    SessionAddress address(String sessionId) {
        return new SessionAddress(channel, sessionId);
    }

    /** @param doubt whether an earlier attempt may have released the lock, so that "not held" would be no answer */
    Done<Released> release(Link link, Release request, boolean doubt) throws SQLException {
        Transition<Released> transition = (state, now, seed) -> LockMachine.release(state, request.token(), now, seed);
        Sql atOnce = release.sql();
        Done<Released> done = atOnce == null
                ? run(link, read(link, request.name()), transition)
                : releaseAtOnce(link, atOnce, request, transition);
        if (doubt && done.answer() == Released.NOT_HELD) {
            throw new OutcomeUnknownException("The connection broke while lock \"" + request.name() + "\" (token "
                    + request.token() + ") was being released; now it is not held under that token");
        }
        return done;
    }

    /** Any other call on one lock. */
    <T> Done<T> run(Link link, String name, Transition<T> transition) throws SQLException {
        return run(link, read(link, name), transition);
    }

    /** Goes on from a row that was read before, as long as nobody has changed it since. */
    <T> Done<T> run(Link link, LockRow first, Transition<T> transition) throws SQLException {
        LockRow row = first;
        for (int i = 0; i < WRITES_MAX; i++) {
            Step<T> step = transition.apply(row.state(), row.now(), row.seed());
            if (!matters(row, step)) {
                return new Done<>(step.answer(), List.of());
            }
            if (written(link, row, step)) {
                return new Done<>(step.answer(), own(step.grants()));
            }
            row = read(link, row.state().name());
        }
        throw new SQLException(
                "Lock \"" + first.state().name() + "\" changed " + WRITES_MAX + " times meanwhile", "40001");
    }

    /** Asks those holders of other processes to let go that can be told at once. */
    void ask(Link link, List<Revocation> revocations) throws SQLException {
        for (Revocation revocation : revocations) {
            if (!isOwn(revocation)) {
                bell.ask(link, SessionAddress.processOf(revocation.sessionId()), revocation);
            }
        }
    }

    /** Whether it is a holder of this process that is asked. */
    boolean isOwn(Revocation revocation) {
        return isOwn(revocation.sessionId());
    }

    LockRow read(Link link, String name) throws SQLException {
        return link.query(read, new Args().text("name", name), row -> LockRow.read(name, row))
                .get(0);
    }

    private LockRow acquireAtOnce(Link link, Sql sql, Acquire request, SessionAddress address) throws SQLException {
        Args args = new Args()
                .text("name", request.name())
                .text("request", request.requestId())
                .text("session", address.text())
                .text("owner", request.owner())
                .number("lease", LockRow.micros(request.lease().orElseThrow()))
                .number("wait", LockRow.micros(request.waitTime()));
        List<LockRow> rows = link.query(sql, args, row -> LockRow.read(request.name(), row));
        return rows.isEmpty() ? read(link, request.name()) : rows.get(0);
    }

    private Done<Released> releaseAtOnce(Link link, Sql sql, Release request, Transition<Released> transition)
            throws SQLException {
        record Answer(
                boolean done, boolean denied, @Nullable LockRow row) {}
        Args args = new Args()
                .text("name", request.name())
                .number("token", request.token())
                .text("channel", channel)
                .number("claim", LockRow.micros(LockMachine.CLAIM_LEASE));
        List<Answer> answers = link.query(sql, args, row -> {
            boolean done = row.getInt("done") == 1;
            boolean free = done && row.getInt("handed") == 0;
            return new Answer(done, row.getInt("denied") == 1, free ? null : LockRow.read(request.name(), row));
        });
        if (answers.isEmpty()) {
            return new Done<>(Released.NOT_HELD, List.of());
        }
        if (answers.get(0).denied() && told.compareAndSet(false, true)) {
            LOG.log(
                    Level.WARNING,
                    "Waiters in another process can't be woken, as its database user is another one than here (first seen at lock \""
                            + request.name() + "\"): they find out when they ask again. Use one user, or GRANT this one"
                            + " CONNECTION_ADMIN (MySQL) or CONNECTION ADMIN (MariaDB)");
        }
        LockRow row = answers.get(0).row();
        if (row == null) {
            return new Done<>(Released.FREED, List.of());
        }
        if (!answers.get(0).done()) {
            return run(link, row, transition);
        }
        List<Grant> grants = row.state().holders().stream()
                .filter(h -> isOwn(h.sessionId()))
                .map(row::grantOf)
                .toList();
        return new Done<>(Released.HANDED_OVER, grants);
    }

    /**
     * Writes a step over its row, unless somebody was faster, and rings for those of other processes in the same call.
     */
    private boolean written(Link link, LockRow row, Step<?> step) throws SQLException {
        Args args = row.write(step, channel);
        List<Grant> told = foreign(step.grants());
        Sql atOnce = writeAndTell.sql();
        if (told.isEmpty() || atOnce == null) {
            return link.update(row.version() == 0 ? insert : write, args) == 1;
        }
        args.text("told", told.stream().map(LockCalls::line).collect(Collectors.joining("\n")));
        return link.query(atOnce, args, found -> found.getLong("written")).get(0) > 0;
    }

    /** A grant as the statement that rings for several has it: the channel, then what the bell is to say. */
    private static String line(Grant grant) {
        return SessionAddress.processOf(grant.sessionId()) + "\t" + Bell.message(grant);
    }

    /** Whether a step is worth writing: what time alone does to a row can be done by whoever reads it next. */
    static boolean matters(LockRow row, Step<?> step) {
        if (!step.grants().isEmpty()) {
            return true;
        }
        LockState before = row.state();
        return !step.state().equals(before)
                && !step.state()
                        .equals(LockMachine.settle(before, row.now(), row.seed())
                                .state());
    }

    List<Grant> own(List<Grant> grants) {
        return grants.stream().filter(g -> isOwn(g.sessionId())).toList();
    }

    private List<Grant> foreign(List<Grant> grants) {
        return grants.stream().filter(g -> !isOwn(g.sessionId())).toList();
    }

    private boolean isOwn(String address) {
        return SessionAddress.processOf(address).equals(channel);
    }

    /** The machine knows sessions by their IDs only; the table needs to know where they live. */
    private static Step<Outcome> addressed(Step<Outcome> step, String requestId, SessionAddress address) {
        LockState state = step.state();
        List<Holder> holders = state.holders().stream()
                .map(h -> isBare(h.requestId(), h.sessionId(), requestId, address) ? at(address, h) : h)
                .toList();
        List<Waiter> queue = state.queue().stream()
                .map(w -> isBare(w.requestId(), w.sessionId(), requestId, address) ? at(address, w) : w)
                .toList();
        if (holders.equals(state.holders()) && queue.equals(state.queue())) {
            return step;
        }
        return new Step<>(
                new LockState(state.name(), state.token(), holders, queue, state.delayUntil()),
                step.answer(),
                step.grants());
    }

    private static Holder at(SessionAddress address, Holder h) {
        return new Holder(
                address.text(),
                h.requestId(),
                h.owner(),
                h.token(),
                h.since(),
                h.expiresAt(),
                h.mode(),
                h.lockDelay(),
                h.revokedBy());
    }

    private static Waiter at(SessionAddress address, Waiter w) {
        return new Waiter(address.text(), w.requestId(), w.owner(), w.lease(), w.since(), w.deadline(), w.terms());
    }

    private static boolean isBare(String request, String session, String requestId, SessionAddress address) {
        return request.equals(requestId) && session.equals(address.sessionId());
    }

    /** A row as {@link Link#query} reads it, for statements that give several. */
    static LockRow row(ResultSet row) throws SQLException {
        return LockRow.read("", row);
    }
}
