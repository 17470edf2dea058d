package dev.tenon.lock.spi;

import dev.tenon.lock.spi.Acquire.Terms;
import dev.tenon.lock.spi.LockState.Holder;
import dev.tenon.lock.spi.LockState.Waiter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What a lock may do next: the one state machine that every store has the behaviour of. A function takes a state, a
 * request, the store's time and a seed for tokens, and returns the next state, the answer, and whom to tell. Pure: no
 * clock, no randomness, no I/O, nothing kept; so any thread may call it, and a replicated log may replay it.
 *
 * <p>First come, first served, in four {@link LockMode modes}: who comes later never holds before who waits, unless it
 * asked for {@linkplain Terms#fair() that}; those at the head of the queue that fit beside each other hold together.
 *
 * <p>Every function first lets time take its course ({@link #settle}): an expired holder is gone, a waiter past its
 * deadline is gone, and what is free goes to the head of the queue. A lock granted to a waiter (rather than to a caller
 * who gets the answer) is held for at most {@link #CLAIM_LEASE}, so that a waiter which died in the queue costs no more
 * than that; its first renewal claims it for good. A hold that replaces another one lasts at least as long as that
 * would: its owner counts on it until it hears of the new one. After a holder with a
 * {@linkplain Terms#lockDelay() lock-delay} has expired, nothing is granted until that is over.
 *
 * <p>Tokens: each grant gets {@link #nextToken max(state.token + 32, tokenSeed)} (fencing tokens after Burrows, "The
 * Chubby lock service", OSDI 2006, and Kleppmann, "How to do distributed locking", 2016), and with it the 31 that
 * follow: the process that holds the lock numbers the threads with them that it hands it on to. Here a hold is known by
 * the first.
 */
public final class LockMachine {
    /** The longest lease of a lock that was handed to a waiter and not yet renewed by it. */
    public static final Duration CLAIM_LEASE = Duration.ofSeconds(5);

    /** How many tokens each grant, and each floor of an eviction, reserves: its own and those that follow it. */
    public static final int TOKEN_STRIDE = 32;

    private LockMachine() {}

    /**
     * The result of one function.
     *
     * @param state the next state
     * @param answer to the request
     * @param grants whom to tell, in order
     */
    public record Step<T>(LockState state, T answer, List<Grant> grants) {}

    /**
     * The first token of the block that comes after the one of {@code last}: what every store grants.
     *
     * @param last the first token of the block before
     * @param seed below which no token is to be granted
     */
    public static long nextToken(long last, long seed) {
        return Math.max(last + TOKEN_STRIDE, seed);
    }

    /** Whether {@code token} is of the block that begins at {@code first}. */
    public static boolean isOfBlock(long first, long token) {
        return first <= token && token - first < TOKEN_STRIDE;
    }

    /**
     * Lets time pass: what has expired goes, and what is free is handed on. The answer says whether anything changed.
     */
    public static Step<Boolean> settle(LockState state, Instant now, long tokenSeed) {
        return settled(expired(state, now), state, now, tokenSeed);
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
        Optional<Holder> mine = state.holders().stream()
                .filter(h -> h.requestId().equals(request.requestId()))
                .findFirst();
        if (mine.isPresent()) {
            Outcome granted = new Outcome.Granted(mine.get().token(), mine.get().left(now));
            return new Step<>(state, granted, settled.grants());
        }
        int position = position(state.queue(), request.requestId());
        if (position >= 0) {
            return new Step<>(state, queued(state, position, now), settled.grants());
        }
        Terms terms = request.terms();
        if (terms.converts().isPresent() && !convertible(state, terms)) {
            return new Step<>(state, new Outcome.NotHeld(), settled.grants());
        }
        boolean first =
                state.queue().isEmpty() || !terms.fair() || terms.converts().isPresent();
        if (first && fits(state, terms)) {
            return granted(settled, request, lease, now, tokenSeed);
        }
        if (!request.mayWait()) {
            return new Step<>(state, busy(state, now), settled.grants());
        }
        Waiter waiter = new Waiter(
                request.sessionId(),
                request.requestId(),
                request.owner(),
                lease,
                now,
                now.plus(request.waitTime()),
                terms);
        List<Waiter> queue = new ArrayList<>(state.queue());
        int place = terms.converts().isPresent() ? 0 : queue.size();
        queue.add(place, waiter);
        LockState next = state.withQueue(queue);
        return new Step<>(next, queued(next, place, now), settled.grants());
    }

    /** Gives the lock back, and on to the head of the queue. */
    public static Step<Released> release(LockState before, long token, Instant now, long tokenSeed) {
        Step<Boolean> settled = settle(before, now, tokenSeed);
        LockState state = settled.state();
        if (!state.isHeldUnder(token)) {
            return new Step<>(state, Released.NOT_HELD, settled.grants());
        }
        Step<Boolean> handed = settle(vacated(state, token), now, tokenSeed);
        Released answer = handed.grants().isEmpty() ? Released.FREED : Released.HANDED_OVER;
        return new Step<>(handed.state(), answer, both(settled, handed));
    }

    /** Sets the end of the lease to {@code lease} from now, and tells whether somebody wants the lock back. */
    public static Step<Renewed> renew(LockState before, long token, Duration lease, Instant now, long tokenSeed) {
        Step<Boolean> settled = settle(before, now, tokenSeed);
        LockState state = settled.state();
        Optional<Holder> holder = state.holderUnder(token);
        if (holder.isEmpty()) {
            return new Step<>(state, new Renewed.NotHeld(), settled.grants());
        }
        Holder renewed = holder.get().until(now.plus(lease));
        return new Step<>(replaced(state, renewed), new Renewed.Extended(lease, renewed.revokedBy()), settled.grants());
    }

    /** Takes a request out of the queue. */
    public static Step<Cancelled> cancel(LockState before, String requestId, Instant now, long tokenSeed) {
        // The request leaves before time does its work: one that gives up must not be handed the lock on its way out.
        LockState left =
                before.withQueue(without(before.queue(), w -> w.requestId().equals(requestId)));
        Step<Boolean> settled = settled(expired(left, now), before, now, tokenSeed);
        LockState state = settled.state();
        Cancelled answer = state.holders().stream()
                .filter(h -> h.requestId().equals(requestId))
                .findFirst()
                .<Cancelled>map(h -> new Cancelled.WasGranted(h.token(), h.left(now)))
                .orElseGet(Cancelled.Gone::new);
        return new Step<>(state, answer, settled.grants());
    }

    /**
     * Takes the lock away from whoever holds it under {@code token}, which may be any of the holder's block: who evicts
     * knows it from a thread, or from a resource. The answer is the new floor.
     */
    public static Step<Optional<Long>> evict(LockState before, long token, Instant now, long tokenSeed) {
        Step<Boolean> settled = settle(before, now, tokenSeed);
        LockState state = settled.state();
        Optional<Holder> holder = state.holders().stream()
                .filter(h -> isOfBlock(h.token(), token))
                .findFirst();
        if (holder.isEmpty()) {
            return new Step<>(state, Optional.empty(), settled.grants());
        }
        long floor = nextToken(state.token(), tokenSeed);
        Step<Boolean> handed = settle(vacated(state, holder.get().token()).withToken(floor), now, tokenSeed);
        return new Step<>(handed.state(), Optional.of(floor), both(settled, handed));
    }

    /**
     * Asks every holder to let go. Nobody is made to.
     *
     * @param by who asks
     */
    public static Step<List<Revocation>> revoke(LockState before, String by, Instant now, long tokenSeed) {
        Step<Boolean> settled = settle(before, now, tokenSeed);
        LockState state = settled.state();
        List<Holder> asked = state.holders().stream().map(h -> h.revoked(by)).toList();
        return new Step<>(
                asked.isEmpty() ? state : state.withHolders(asked),
                asked.stream()
                        .map(h -> new Revocation(state.name(), h.sessionId(), h.token(), by))
                        .toList(),
                settled.grants());
    }

    /**
     * Removes a session: what it holds goes to the next in the queue, what it waits for is cancelled.
     *
     * @param expired whether the session ran out, so that lock-delays begin; else it was closed
     */
    public static Step<Boolean> leave(
            LockState before, String sessionId, boolean expired, Instant now, long tokenSeed) {
        Optional<Instant> delay = before.delayUntil();
        List<Holder> holders = new ArrayList<>();
        for (Holder holder : before.holders()) {
            if (!holder.sessionId().equals(sessionId)) {
                holders.add(holder);
            } else if (expired) {
                delay = later(delay, now.plus(holder.lockDelay()), now);
            }
        }
        LockState left = new LockState(
                before.name(),
                before.token(),
                holders,
                without(before.queue(), w -> w.sessionId().equals(sessionId)),
                delay);
        return settled(expired(left, now), before, now, tokenSeed);
    }

    /** What is over at {@code now}, gone; nothing granted. */
    private static LockState expired(LockState state, Instant now) {
        Optional<Instant> delay = state.delayUntil().filter(until -> until.isAfter(now));
        List<Holder> holders = state.holders();
        for (Holder holder : state.holders()) {
            if (!holder.expiresAt().isAfter(now)) {
                holders = without(holders, h -> h.token() == holder.token());
                delay = later(delay, holder.expiresAt().plus(holder.lockDelay()), now);
            }
        }
        LockState left = new LockState(state.name(), state.token(), holders, state.queue(), delay);
        return left.withQueue(without(
                state.queue(),
                w -> !w.deadline().isAfter(now) || w.terms().converts().isPresent() && !convertible(left, w.terms())));
    }

    private static Optional<Instant> later(Optional<Instant> delay, Instant other, Instant now) {
        return other.isAfter(delay.orElse(now)) ? Optional.of(other) : delay;
    }

    /** Grants from the head of the queue what fits. */
    private static Step<Boolean> settled(LockState state, LockState before, Instant now, long tokenSeed) {
        LockState next = state;
        List<Grant> grants = new ArrayList<>();
        while (!next.queue().isEmpty() && fits(next, next.queue().get(0).terms())) {
            Waiter head = next.queue().get(0);
            Duration claim = head.lease().compareTo(CLAIM_LEASE) < 0 ? head.lease() : CLAIM_LEASE;
            Instant end = end(next, head.terms(), claim, now);
            long token = nextToken(next.token(), tokenSeed);
            Holder holder = new Holder(
                    head.sessionId(),
                    head.requestId(),
                    head.owner(),
                    token,
                    now,
                    end,
                    head.terms().mode(),
                    head.terms().lockDelay(),
                    Optional.empty());
            grants.add(new Grant(
                    next.name(),
                    head.requestId(),
                    head.sessionId(),
                    token,
                    Duration.between(head.since(), now),
                    Duration.between(now, end)));
            next = held(next, holder, head.terms().converts())
                    .withQueue(next.queue().subList(1, next.queue().size()));
        }
        return next.equals(before) ? new Step<>(before, false, List.of()) : new Step<>(next, true, grants);
    }

    private static Step<Outcome> granted(
            Step<Boolean> settled, Acquire request, Duration lease, Instant now, long tokenSeed) {
        LockState state = settled.state();
        Instant end = end(state, request.terms(), lease, now);
        long token = nextToken(state.token(), tokenSeed);
        Holder holder = new Holder(
                request.sessionId(),
                request.requestId(),
                request.owner(),
                token,
                now,
                end,
                request.terms().mode(),
                request.terms().lockDelay(),
                Optional.empty());
        // A weaker mode than before may let others in.
        Step<Boolean> after = settle(held(state, holder, request.terms().converts()), now, tokenSeed);
        return new Step<>(after.state(), new Outcome.Granted(token, Duration.between(now, end)), both(settled, after));
    }

    /** When a new hold ends: not before the one that it replaces would, as its owner may count on that. */
    private static Instant end(LockState state, Terms terms, Duration lease, Instant now) {
        Instant end = now.plus(lease);
        return terms.converts().stream()
                .mapToObj(state::holderUnder)
                .flatMap(Optional::stream)
                .map(Holder::expiresAt)
                .filter(end::isBefore)
                .findFirst()
                .orElse(end);
    }

    private static LockState held(LockState state, Holder holder, OptionalLong converted) {
        List<Holder> holders = new ArrayList<>(state.holders());
        converted.ifPresent(token -> holders.removeIf(h -> h.token() == token));
        holders.add(holder);
        return state.withHolders(holders).withToken(holder.token());
    }

    /** Whether the lock may be held as {@code terms} say, beside those who hold it and stay. */
    private static boolean fits(LockState state, Terms terms) {
        boolean weakens = terms.converts().isPresent() && !terms.mode().equals(LockMode.EXCLUSIVE);
        if (state.delayUntil().isPresent() && !weakens) {
            return false;
        }
        return terms.mode()
                .fitsBeside(state.holders().stream()
                        .filter(h -> terms.converts().isEmpty()
                                || h.token() != terms.converts().getAsLong())
                        .map(Holder::mode)
                        .toList());
    }

    private static boolean convertible(LockState state, Terms terms) {
        return state.holderUnder(terms.converts().orElseThrow())
                .filter(h -> h.mode().convertsTo(terms.mode()))
                .isPresent();
    }

    private static LockState vacated(LockState state, long token) {
        return state.withHolders(without(state.holders(), h -> h.token() == token));
    }

    private static LockState replaced(LockState state, Holder holder) {
        return state.withHolders(state.holders().stream()
                .map(h -> h.token() == holder.token() ? holder : h)
                .toList());
    }

    private static Outcome queued(LockState state, int ahead, Instant now) {
        return new Outcome.Queued(ahead, untilFree(state, now).plus(CLAIM_LEASE.multipliedBy(ahead)));
    }

    /** By when what holds the lock up has run out, unless it is renewed. */
    private static Duration untilFree(LockState state, Instant now) {
        Instant last = state.delayUntil().orElse(now);
        for (Holder holder : state.holders()) {
            last = holder.expiresAt().isAfter(last) ? holder.expiresAt() : last;
        }
        return Duration.between(now, last);
    }

    private static Outcome busy(LockState state, Instant now) {
        String owner = Stream.concat(
                        state.holders().stream().map(Holder::owner),
                        state.queue().stream().map(Waiter::owner))
                .findFirst()
                .orElse(Outcome.Busy.LOCK_DELAY);
        return new Outcome.Busy(owner, untilFree(state, now));
    }

    private static List<Grant> both(Step<?> first, Step<?> second) {
        List<Grant> grants = new ArrayList<>(first.grants());
        grants.addAll(second.grants());
        return List.copyOf(grants);
    }

    private static int position(List<Waiter> queue, String requestId) {
        for (int i = 0; i < queue.size(); i++) {
            if (queue.get(i).requestId().equals(requestId)) {
                return i;
            }
        }
        return -1;
    }

    private static <T> List<T> without(List<T> all, Predicate<T> gone) {
        return all.stream().anyMatch(gone) ? all.stream().filter(gone.negate()).toList() : all;
    }
}
