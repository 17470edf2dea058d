package dev.tenon.lock.spi;

import dev.tenon.lock.spi.Acquire.Terms;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The whole state of one lock: what {@link LockMachine} works on. Instants are those of the store's clock.
 *
 * @param name of the lock
 * @param token the greatest token granted (or reserved by an eviction) so far, the first of its block
 * @param holders who hold it, in the order of their grants
 * @param queue who waits, the next one first
 * @param delayUntil until when nobody gets the lock, after a holder's lease ran out; empty if that is over
 */
public record LockState(
        String name, long token, List<Holder> holders, List<Waiter> queue, Optional<Instant> delayUntil) {
    public LockState {
        holders = List.copyOf(holders);
        queue = List.copyOf(queue);
    }

    /** A lock that nobody holds and nobody waits for. */
    public static LockState free(String name, long token) {
        return new LockState(name, token, List.of(), List.of(), Optional.empty());
    }

    /** Whether nothing but the token would be lost by forgetting this state. */
    public boolean isIdle() {
        return holders.isEmpty() && queue.isEmpty() && delayUntil.isEmpty();
    }

    /** The sessions that hold the lock or wait for it; a set of the caller's own. */
    Set<String> sessions() {
        Set<String> ids = new HashSet<>();
        holders.forEach(h -> ids.add(h.sessionId()));
        queue.forEach(w -> ids.add(w.sessionId()));
        return ids;
    }

    /** Whether a request holds the lock or waits for it. */
    boolean knows(String requestId) {
        return holders.stream().anyMatch(h -> h.requestId().equals(requestId))
                || queue.stream().anyMatch(w -> w.requestId().equals(requestId));
    }

    /** Who has held it for longest, if anybody does. */
    public Optional<Holder> holder() {
        return holders.stream().findFirst();
    }

    /** Whether the lock is held under {@code token}, the first of a block, as far as this state knows. */
    public boolean isHeldUnder(long token) {
        return holderUnder(token).isPresent();
    }

    /** Who holds the lock under {@code token}, the first of a block, as far as this state knows. */
    public Optional<Holder> holderUnder(long token) {
        return holders.stream().filter(h -> h.token() == token).findFirst();
    }

    /** The next moment at which time alone changes this state, if there is one. */
    public Optional<Instant> deadline() {
        return Stream.of(
                        holders.stream().map(Holder::expiresAt),
                        queue.stream().map(Waiter::deadline),
                        delayUntil.stream())
                .flatMap(moments -> moments)
                .min(Instant::compareTo);
    }

    /** What people may see of this state at {@code now}. */
    public LockView view(Instant now) {
        return new LockView(
                name,
                token,
                holders.stream().map(h -> h.view(now)).toList(),
                queue.stream().map(w -> w.view(now)).toList());
    }

    LockState withHolders(List<Holder> next) {
        return new LockState(name, token, next, queue, delayUntil);
    }

    LockState withQueue(List<Waiter> next) {
        return new LockState(name, token, holders, next, delayUntil);
    }

    LockState withToken(long next) {
        return new LockState(name, next, holders, queue, delayUntil);
    }

    /**
     * A request that holds the lock.
     *
     * @param sessionId to which it belongs
     * @param requestId of its acquire
     * @param owner as it called itself
     * @param token under which it holds: the first of its block
     * @param since when it was granted
     * @param expiresAt when it ends, unless it is renewed
     * @param mode in which it holds
     * @param lockDelay how long nobody gets the lock if this ends by itself
     * @param revokedBy who asked it to let go, if somebody did
     */
    public record Holder(
            String sessionId,
            String requestId,
            String owner,
            long token,
            Instant since,
            Instant expiresAt,
            LockMode mode,
            Duration lockDelay,
            Optional<String> revokedBy) {
        Duration left(Instant now) {
            return Duration.between(now, expiresAt);
        }

        Holder until(Instant newExpiry) {
            return new Holder(sessionId, requestId, owner, token, since, newExpiry, mode, lockDelay, revokedBy);
        }

        Holder revoked(String by) {
            return new Holder(sessionId, requestId, owner, token, since, expiresAt, mode, lockDelay, Optional.of(by));
        }

        LockView.HolderView view(Instant now) {
            return new LockView.HolderView(sessionId, owner, token, since, left(now), mode, revokedBy);
        }
    }

    /**
     * A request that waits for the lock.
     *
     * @param sessionId to which it belongs
     * @param requestId of its acquire
     * @param owner as it called itself
     * @param lease that it asked for
     * @param since when it was queued
     * @param deadline when it stops waiting
     * @param terms in which way it wants the lock
     */
    public record Waiter(
            String sessionId,
            String requestId,
            String owner,
            Duration lease,
            Instant since,
            Instant deadline,
            Terms terms) {
        LockView.WaiterView view(Instant now) {
            return new LockView.WaiterView(sessionId, owner, since, Duration.between(now, deadline), terms.mode());
        }
    }
}
