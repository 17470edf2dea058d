package dev.tenon.jdbc;

import dev.tenon.OutcomeUnknownException;
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
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Lock calls as statements. What is common is one statement that does it inside the database; everything else, and every
 * case that such a statement leaves alone, is read, put through {@link LockMachine} and written back under the row's
 * version, again if somebody was faster. Blocking; thread-safe.
 */
final class LockCalls {
    private static final int WRITES_MAX = 50;

    private final String channel;
    private final Bell bell;
    private final Sql read;
    private final Sql write;
    private final Sql insert;
    private final Sql renew;
    private final @Nullable Sql acquire;
    private final @Nullable Sql release;

    /**
     * @param plain whether to do without the statements that only some dialects have
     */
    LockCalls(Dialect dialect, String channel, Bell bell, boolean plain) {
        this.channel = channel;
        this.bell = bell;
        this.read = dialect.sql("lock-read");
        this.write = dialect.sql("lock-write");
        this.insert = dialect.sql("lock-insert");
        this.renew = dialect.sql("lock-renew");
        this.acquire = plain ? null : dialect.ownSql("lock-acquire");
        this.release = plain ? null : dialect.ownSql("lock-release");
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
        Duration lease = request.lease().orElseThrow();
        Address address = new Address(channel, request.sessionId());
        Transition<Outcome> transition = (state, now, seed) ->
                addressed(LockMachine.acquire(state, request, lease, now, seed), request.requestId(), address);
        LockRow row = acquire == null ? read(link, request.name()) : acquireAtOnce(link, acquire, request, address);
        // To the machine a request that the statement has granted or queued is a repeated one: it answers, and writes
        // nothing.
        Done<Outcome> done = run(link, row, transition);
        // A grant to this very request is in its answer.
        return new Done<>(
                done.answer(),
                done.grants().stream()
                        .filter(g -> !g.requestId().equals(request.requestId()))
                        .toList());
    }

    /** @param doubt whether an earlier attempt may have released the lock, so that "not held" would be no answer */
    Done<Released> release(Link link, Release request, boolean doubt) throws SQLException {
        Transition<Released> transition = (state, now, seed) -> LockMachine.release(state, request.token(), now, seed);
        Done<Released> done = release == null
                ? run(link, read(link, request.name()), transition)
                : releaseAtOnce(link, release, request, transition);
        if (doubt && done.answer() == Released.NOT_HELD) {
            throw new OutcomeUnknownException("The connection broke while lock \"" + request.name() + "\" (token "
                    + request.token() + ") was being released; now it is not held under that token");
        }
        return done;
    }

    List<Done<Renewed>> renew(Link link, List<Renew> renewals) throws SQLException {
        List<Args> all = renewals.stream()
                .map(r -> new Args()
                        .text("name", r.name())
                        .number("token", r.token())
                        .number("lease", LockRow.micros(r.lease().orElseThrow())))
                .toList();
        int[] found = all.size() == 1 ? new int[] {link.update(renew, all.get(0))} : link.batch(renew, all);
        List<Done<Renewed>> done = new ArrayList<>(found.length);
        for (int i = 0; i < found.length; i++) {
            Renew request = renewals.get(i);
            Duration lease = request.lease().orElseThrow();
            done.add(
                    found[i] == 1
                            ? new Done<>(new Renewed.Extended(lease), List.of())
                            : run(
                                    link,
                                    read(link, request.name()),
                                    (state, now, seed) -> LockMachine.renew(state, request.token(), lease, now, seed)));
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
            if (link.update(row.version() == 0 ? insert : write, row.write(step, channel)) == 1) {
                return new Done<>(step.answer(), tell(link, step.grants()));
            }
            row = read(link, row.state().name());
        }
        throw new SQLException(
                "Lock \"" + first.state().name() + "\" changed " + WRITES_MAX + " times meanwhile", "40001");
    }

    LockRow read(Link link, String name) throws SQLException {
        return link.query(read, new Args().text("name", name), row -> LockRow.read(name, row))
                .get(0);
    }

    private LockRow acquireAtOnce(Link link, Sql sql, Acquire request, Address address) throws SQLException {
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
        record Answer(boolean done, @Nullable LockRow row) {}
        Args args = new Args()
                .text("name", request.name())
                .number("token", request.token())
                .text("channel", channel)
                .number("claim", LockRow.micros(LockMachine.CLAIM_LEASE));
        List<Answer> answers = link.query(sql, args, row -> {
            boolean done = row.getInt("done") == 1;
            return new Answer(done, done && row.getInt("handed") == 0 ? null : LockRow.read(request.name(), row));
        });
        if (answers.isEmpty()) {
            return new Done<>(Released.NOT_HELD, List.of());
        }
        LockRow row = answers.get(0).row();
        if (row == null) {
            return new Done<>(Released.FREED, List.of());
        }
        if (!answers.get(0).done()) {
            return run(link, row, transition);
        }
        List<Grant> grants = row.state().holder().filter(h -> isOwn(h.sessionId())).map(row::grantOf).stream()
                .toList();
        return new Done<>(Released.HANDED_OVER, grants);
    }

    /** Whether a step is worth writing: what time alone does to a row can be done by whoever reads it next. */
    private static boolean matters(LockRow row, Step<?> step) {
        if (!step.grants().isEmpty()) {
            return true;
        }
        LockState before = row.state();
        return !step.state().equals(before)
                && !step.state()
                        .equals(LockMachine.settle(before, row.now(), row.seed())
                                .state());
    }

    private List<Grant> tell(Link link, List<Grant> grants) throws SQLException {
        List<Grant> own = new ArrayList<>();
        for (Grant grant : grants) {
            if (isOwn(grant.sessionId())) {
                own.add(grant);
            } else {
                bell.ring(link, Address.parse(grant.sessionId()).channel(), grant);
            }
        }
        return own;
    }

    private boolean isOwn(String address) {
        return Address.parse(address).channel().equals(channel);
    }

    /** The machine knows sessions by their IDs only; the table needs to know where they live. */
    private static Step<Outcome> addressed(Step<Outcome> step, String requestId, Address address) {
        LockState state = step.state();
        Optional<Holder> holder = state.holder()
                .map(h -> isBare(h.requestId(), h.sessionId(), requestId, address)
                        ? new Holder(address.text(), requestId, h.owner(), h.token(), h.since(), h.expiresAt())
                        : h);
        List<Waiter> queue = state.queue().stream()
                .map(w -> isBare(w.requestId(), w.sessionId(), requestId, address)
                        ? new Waiter(address.text(), requestId, w.owner(), w.lease(), w.since(), w.deadline())
                        : w)
                .toList();
        if (Objects.equals(holder, state.holder()) && queue.equals(state.queue())) {
            return step;
        }
        return new Step<>(new LockState(state.name(), state.token(), holder, queue), step.answer(), step.grants());
    }

    private static boolean isBare(String request, String session, String requestId, Address address) {
        return request.equals(requestId) && session.equals(address.sessionId());
    }

    /** A row as {@link Link#query} reads it, for statements that give several. */
    static LockRow row(ResultSet row) throws SQLException {
        return LockRow.read("", row);
    }
}
