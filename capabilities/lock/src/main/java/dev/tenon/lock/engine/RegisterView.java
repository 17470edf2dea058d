package dev.tenon.lock.engine;

import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.LockMachine.Step;
import dev.tenon.lock.spi.LockState;
import dev.tenon.lock.spi.LockState.Holder;
import dev.tenon.lock.spi.LockState.Waiter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A register as this process knows it: its content, with every moment in it by this process's own monotonic clock.
 *
 * <p>A register's text says how long each lease lasts from the moment of its write. Nobody knows that moment but the
 * writer, so a reader takes it for the one at which it has seen the text first: later than it was, so that no lease
 * ends early. Of a lease that has not been renewed in between it may have seen the end in an earlier text already, and
 * then the earlier end counts: each is one that the true end does not come after.
 *
 * @param state with {@link SessionAddress}es as sessions, and moments of {@link #moment}; but a holder's {@code since}
 *     is by the clock on the wall of whoever granted it: it is for people, and stays as it is
 * @param leases how each holder's lease came about, by its token
 * @param delayedBy what stands for the present lock-delay, and for no other of this name
 */
record RegisterView(Register register, LockState state, Map<Long, LeaseMark> leases, long delayedBy) {
    /** Every token is a multiple of this: a holder may need some for itself. */
    static final long STRIDE = LockMachine.TOKEN_STRIDE;

    /** Stands for the token of the grant that creates a register, which is known as soon as the register is written. */
    static final long TOKEN_OF_CREATION = 1L << 62;

    /**
     * What a lease is known by.
     *
     * @param mark together with the token it stands for one renewal of the lease, and no other
     * @param covered whether the process of the holder was sure, when it wrote this, to stay present until the lease is
     *     over: then it is over once the process is gone
     */
    record LeaseMark(long mark, boolean covered) {}

    RegisterView {
        leases = Map.copyOf(leases);
    }

    static RegisterView absent(String name) {
        return new RegisterView(Register.absent(name), LockState.free(name, 0), Map.of(), 0);
    }

    /** A register that was seen at {@code seen} at the latest. */
    static RegisterView of(Register register, Instant seen) {
        return register.text()
                .map(text -> RegisterText.read(register, text, seen))
                .orElseGet(() -> absent(register.name()));
    }

    /** A reading of the monotonic clock, in the type that the lock machine works with. */
    static Instant moment(long nanos) {
        return Instant.EPOCH.plusNanos(nanos);
    }

    /** The least token that a grant of the next write may have. */
    long seed() {
        return register.version() == 0 ? TOKEN_OF_CREATION : (register.changed() + 1) * STRIDE;
    }

    /**
     * Whether a register that is made anew will start above every token of this name, if this one goes with the next
     * write.
     */
    boolean mayForget(long token) {
        return token + STRIDE <= (register.changed() + 2) * STRIDE;
    }

    /** The same, with what an earlier sight of this name tells of when things end. */
    RegisterView with(RegisterView earlier) {
        List<Holder> holders = new ArrayList<>();
        for (Holder h : state.holders()) {
            holders.add(earlier.state
                    .holderUnder(h.token())
                    .filter(e -> mark(h.token()) == earlier.mark(h.token()))
                    .map(e -> during(h, h.since(), least(h.expiresAt(), e.expiresAt())))
                    .orElse(h));
        }
        Map<String, Waiter> waiting = earlier.state.queue().stream()
                .collect(Collectors.toMap(Waiter::requestId, w -> w, (one, other) -> other));
        List<Waiter> queue = new ArrayList<>();
        for (Waiter w : state.queue()) {
            Waiter e = waiting.getOrDefault(w.requestId(), w);
            queue.add(new Waiter(
                    w.sessionId(),
                    w.requestId(),
                    w.owner(),
                    w.lease(),
                    least(w.since(), e.since()),
                    least(w.deadline(), e.deadline()),
                    w.terms()));
        }
        Optional<Instant> delay = state.delayUntil();
        if (delay.isPresent() && earlier.state.delayUntil().isPresent() && delayedBy == earlier.delayedBy) {
            delay = Optional.of(least(delay.get(), earlier.state.delayUntil().get()));
        }
        return new RegisterView(
                register, new LockState(state.name(), state.token(), holders, queue, delay), leases, delayedBy);
    }

    /**
     * What will be known of this name once {@code next} is written.
     *
     * @param now and the same moment by the clock on the wall
     * @param covered whether a lease of a session with this address, of that length, is covered
     */
    RegisterView next(LockState next, Moment now, Cover covered) {
        Map<Long, LeaseMark> marks = new HashMap<>();
        List<Holder> holders = new ArrayList<>();
        for (Holder h : next.holders()) {
            holders.add(state.isHeldUnder(h.token()) ? h : during(h, now.onTheWall(), h.expiresAt()));
            boolean same = state.holderUnder(h.token())
                    .filter(before -> before.expiresAt().equals(h.expiresAt()))
                    .isPresent();
            LeaseMark before = leases.get(h.token());
            marks.put(
                    h.token(),
                    same && before != null
                            ? before
                            : new LeaseMark(
                                    register.changed(),
                                    covered.covers(h.sessionId(), Duration.between(now.local(), h.expiresAt()))));
        }
        boolean sameDelay = next.delayUntil().equals(state.delayUntil());
        LockState state = new LockState(next.name(), next.token(), holders, next.queue(), next.delayUntil());
        return new RegisterView(register, state, marks, sameDelay ? delayedBy : register.changed());
    }

    /** A moment by both clocks. */
    record Moment(Instant local, Instant onTheWall) {}

    /** Says which leases are over once their holder's process is gone. */
    @FunctionalInterface
    interface Cover {
        boolean covers(String address, Duration lease);
    }

    /** The same, written as {@code written}. */
    RegisterView as(Register written) {
        if (register.version() != 0) {
            return new RegisterView(written, state, leases, delayedBy);
        }
        long token = written.created() * STRIDE;
        List<Holder> holders = state.holders().stream()
                .map(h -> under(h, token(h.token(), token)))
                .toList();
        Map<Long, LeaseMark> marks = new HashMap<>();
        leases.forEach((of, mark) -> marks.put(token(of, token), mark));
        return new RegisterView(
                written,
                new LockState(state.name(), token(state.token(), token), holders, state.queue(), state.delayUntil()),
                marks,
                delayedBy);
    }

    /** A token as it is after the write that created the register. */
    static long token(long token, long ofCreation) {
        return token == TOKEN_OF_CREATION ? ofCreation : token;
    }

    /** The processes that hold or wait. */
    Set<String> processes() {
        return Stream.concat(
                        state.holders().stream().map(Holder::sessionId),
                        state.queue().stream().map(Waiter::sessionId))
                .map(SessionAddress::processOf)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /**
     * Whether a step is worth writing: what time alone does to a lock can be done by whoever looks at it next, unless
     * it leaves a register that nobody needs, or ends a wait or a hold of this process, which others count from when
     * they saw it.
     *
     * @param process this one
     */
    boolean isChangedBy(Step<?> step, Instant now, String process) {
        LockState next = step.state();
        if (!step.grants().isEmpty() || next.isIdle() && register.version() != 0) {
            return true;
        }
        return !next.equals(state)
                && (countOf(process, next) != countOf(process, state)
                        || !next.equals(LockMachine.settle(state, now, seed()).state()));
    }

    private static long countOf(String process, LockState state) {
        return Stream.concat(
                        state.holders().stream().map(Holder::sessionId),
                        state.queue().stream().map(Waiter::sessionId))
                .filter(address -> SessionAddress.processOf(address).equals(process))
                .count();
    }

    private long mark(long token) {
        LeaseMark mark = leases.get(token);
        return mark == null ? -1 : mark.mark();
    }

    /**
     * The same holders and waiters with other sessions, and with local moments that have passed through {@code shift}.
     */
    static LockState mapped(LockState state, Function<String, String> session, Function<Instant, Instant> shift) {
        return new LockState(
                state.name(),
                state.token(),
                state.holders().stream()
                        .map(h -> new Holder(
                                session.apply(h.sessionId()),
                                h.requestId(),
                                h.owner(),
                                h.token(),
                                h.since(),
                                shift.apply(h.expiresAt()),
                                h.mode(),
                                h.lockDelay(),
                                h.revokedBy()))
                        .toList(),
                state.queue().stream()
                        .map(w -> new Waiter(
                                session.apply(w.sessionId()),
                                w.requestId(),
                                w.owner(),
                                w.lease(),
                                shift.apply(w.since()),
                                shift.apply(w.deadline()),
                                w.terms()))
                        .toList(),
                state.delayUntil().map(shift));
    }

    private static Instant least(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }

    private static Holder during(Holder h, Instant since, Instant expiresAt) {
        return new Holder(
                h.sessionId(),
                h.requestId(),
                h.owner(),
                h.token(),
                since,
                expiresAt,
                h.mode(),
                h.lockDelay(),
                h.revokedBy());
    }

    private static Holder under(Holder h, long token) {
        return new Holder(
                h.sessionId(),
                h.requestId(),
                h.owner(),
                token,
                h.since(),
                h.expiresAt(),
                h.mode(),
                h.lockDelay(),
                h.revokedBy());
    }
}
