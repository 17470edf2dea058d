package dev.tenon.lock.spi;

import dev.tenon.lock.spi.LockState.Holder;
import dev.tenon.lock.spi.LockState.Waiter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What a lock may do next: the one state machine that every store has the behaviour of. A function takes a state, a
 * request, the store's time and a seed for tokens, and returns the next state, the answer, and whom to tell. Pure: no
 * clock, no randomness, no I/O, nothing kept; so any thread may call it, and a replicated log may replay it.
 *
 * <p>Exclusive mode, first come, first served. Every function first lets time take its course ({@link #settle}): an
 * expired holder is gone, a waiter past its deadline is gone, and a free lock goes to the head of its queue. A lock
 * granted to a waiter (rather than to a caller who gets the answer) is held for at most {@link #CLAIM_LEASE}, so that a
 * waiter which died in the queue costs no more than that; its first renewal claims it for good.
 *
 * <p>Tokens: each grant gets {@code max(state.token + 1, tokenSeed)} (fencing tokens after Burrows, "The Chubby lock
 * service", OSDI 2006, and Kleppmann, "How to do distributed locking", 2016).
 */
public final class LockMachine {
    /** The longest lease of a lock that was handed to a waiter and not yet renewed by it. */
    public static final Duration CLAIM_LEASE = Duration.ofSeconds(5);

    private LockMachine() {}

    /**
     * The result of one function.
     *
     * @param state the next state
     * @param answer to the request
     * @param grants whom to tell, in order; at most one, as the lock is exclusive
     */
    public record Step<T>(LockState state, T answer, List<Grant> grants) {}

    /** Lets time pass: what has expired goes, and a free lock is handed on. The answer says whether anything changed. */
    public static Step<Boolean> settle(LockState state, Instant now, long tokenSeed) {
        Optional<Holder> holder = state.holder().filter(h -> h.expiresAt().isAfter(now));
        List<Waiter> queue = without(state.queue(), w -> !w.deadline().isAfter(now));
        if (holder.isPresent() || queue.isEmpty()) {
            boolean changed = holder.isPresent() != state.holder().isPresent()
                    || queue.size() != state.queue().size();
            LockState next = changed ? new LockState(state.name(), state.token(), holder, queue) : state;
            return new Step<>(next, changed, List.of());
        }
        Waiter head = queue.get(0);
        Duration lease = head.lease().compareTo(CLAIM_LEASE) < 0 ? head.lease() : CLAIM_LEASE;
        long token = Math.max(state.token() + 1, tokenSeed);
        LockState next = new LockState(
                state.name(),
                token,
                Optional.of(new Holder(head.sessionId(), head.requestId(), head.owner(), token, now, now.plus(lease))),
                queue.subList(1, queue.size()));
        Grant grant = new Grant(
                state.name(), head.requestId(), head.sessionId(), token, Duration.between(head.since(), now), lease);
        return new Step<>(next, true, List.of(grant));
    }

    /**
     * Grants, queues or refuses a request.
     *
     * @param lease what {@code request.lease()} amounts to
     */
    public static Step<Outcome> acquire(
            LockState before, Acquire request, Duration lease, Instant now, long tokenSeed) {
        Step<Boolean> settled = settle(before, now, tokenSeed);
        LockState state = settled.state();
        if (state.holder().isEmpty()) {
            long token = Math.max(state.token() + 1, tokenSeed);
            Holder holder =
                    new Holder(request.sessionId(), request.requestId(), request.owner(), token, now, now.plus(lease));
            return new Step<>(
                    new LockState(state.name(), token, Optional.of(holder), List.of()),
                    new Outcome.Granted(token, lease),
                    settled.grants());
        }
        Holder holder = state.holder().get();
        if (holder.requestId().equals(request.requestId())) {
            return new Step<>(state, new Outcome.Granted(holder.token(), holder.left(now)), settled.grants());
        }
        int position = position(state.queue(), request.requestId());
        if (position >= 0) {
            return new Step<>(state, queued(holder, position, now), settled.grants());
        }
        if (!request.mayWait()) {
            return new Step<>(state, new Outcome.Busy(holder.owner(), holder.left(now)), settled.grants());
        }
        List<Waiter> queue = new ArrayList<>(state.queue());
        queue.add(new Waiter(
                request.sessionId(), request.requestId(), request.owner(), lease, now, now.plus(request.waitTime())));
        return new Step<>(
                new LockState(state.name(), state.token(), state.holder(), queue),
                queued(holder, queue.size() - 1, now),
                settled.grants());
    }

    /** Gives the lock back, and on to the head of the queue. */
    public static Step<Released> release(LockState before, long token, Instant now, long tokenSeed) {
        Step<Boolean> settled = settle(before, now, tokenSeed);
        LockState state = settled.state();
        if (!state.isHeldUnder(token)) {
            return new Step<>(state, Released.NOT_HELD, settled.grants());
        }
        Step<Boolean> handed = settle(vacated(state, state.token()), now, tokenSeed);
        Released answer = handed.grants().isEmpty() ? Released.FREED : Released.HANDED_OVER;
        return new Step<>(handed.state(), answer, handed.grants());
    }

    /** Sets the end of the lease to {@code lease} from now. */
    public static Step<Renewed> renew(LockState before, long token, Duration lease, Instant now, long tokenSeed) {
        Step<Boolean> settled = settle(before, now, tokenSeed);
        LockState state = settled.state();
        if (!state.isHeldUnder(token)) {
            return new Step<>(state, new Renewed.NotHeld(), settled.grants());
        }
        Optional<Holder> holder = state.holder().map(h -> h.until(now.plus(lease)));
        return new Step<>(
                new LockState(state.name(), state.token(), holder, state.queue()),
                new Renewed.Extended(lease),
                settled.grants());
    }

    /** Takes a request out of the queue. */
    public static Step<Cancelled> cancel(LockState before, String requestId, Instant now, long tokenSeed) {
        // The request leaves before time does its work: one that gives up must not be handed the lock on its way out.
        LockState left = new LockState(
                before.name(),
                before.token(),
                before.holder(),
                without(before.queue(), w -> w.requestId().equals(requestId)));
        Step<Boolean> settled = settle(left, now, tokenSeed);
        LockState state = settled.state();
        Cancelled answer = state.holder()
                .filter(h -> h.requestId().equals(requestId))
                .<Cancelled>map(h -> new Cancelled.WasGranted(h.token(), h.left(now)))
                .orElseGet(Cancelled.Gone::new);
        return new Step<>(state, answer, settled.grants());
    }

    /** Takes the lock away from whoever holds it under {@code token}; the answer is the new floor. */
    public static Step<Optional<Long>> evict(LockState before, long token, Instant now, long tokenSeed) {
        Step<Boolean> settled = settle(before, now, tokenSeed);
        LockState state = settled.state();
        if (!state.isHeldUnder(token)) {
            return new Step<>(state, Optional.empty(), settled.grants());
        }
        long floor = Math.max(state.token() + 1, tokenSeed);
        Step<Boolean> handed = settle(vacated(state, floor), now, tokenSeed);
        return new Step<>(handed.state(), Optional.of(floor), handed.grants());
    }

    /** Removes a session: what it holds goes to the next in the queue, what it waits for is cancelled. */
    public static Step<Boolean> leave(LockState before, String sessionId, Instant now, long tokenSeed) {
        LockState state = new LockState(
                before.name(),
                before.token(),
                before.holder().filter(h -> !h.sessionId().equals(sessionId)),
                without(before.queue(), w -> w.sessionId().equals(sessionId)));
        return settle(state, now, tokenSeed);
    }

    private static LockState vacated(LockState state, long floor) {
        return new LockState(state.name(), floor, Optional.empty(), state.queue());
    }

    private static Outcome queued(Holder holder, int ahead, Instant now) {
        return new Outcome.Queued(ahead, holder.left(now).plus(CLAIM_LEASE.multipliedBy(ahead)));
    }

    private static int position(List<Waiter> queue, String requestId) {
        for (int i = 0; i < queue.size(); i++) {
            if (queue.get(i).requestId().equals(requestId)) {
                return i;
            }
        }
        return -1;
    }

    private static List<Waiter> without(List<Waiter> queue, Predicate<Waiter> gone) {
        return queue.stream().anyMatch(gone)
                ? queue.stream().filter(gone.negate()).toList()
                : queue;
    }
}
