package dev.tenon.lock.engine;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TimeSource;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The presence of this process in the store, and what it knows of that of others. Thread-safe.
 *
 * <p>This process counts its presence from before it asks for it, and says of a lease that it is covered only if the
 * presence outlasts it: so the leases of a process that is gone are over by its own reckoning too, and a process that
 * was stopped for long finds none that it believes in and others do not.
 */
final class ProcessPresence {
    private static final int KEPT_ALIVE_EVERY = 4;

    private final RegisterStore registers;
    private final RegisterEvents events;
    private final TimeSource time;
    private final String process;
    private final Duration ttl;
    private final ReentrantLock entering = new ReentrantLock();
    private final Set<String> present = ConcurrentHashMap.newKeySet();
    private final AtomicLong epoch = new AtomicLong();
    private volatile boolean entered;
    private volatile boolean left;
    private volatile long presentUntilNanos;
    private volatile long nextPassNanos;

    /** @param ttl how long to stay present without a sign of life */
    ProcessPresence(RegisterStore registers, RegisterEvents events, TimeSource time, String process, Duration ttl) {
        this.registers = registers;
        this.events = events;
        this.time = time;
        this.process = process;
        this.ttl = ttl;
    }

    String process() {
        return process;
    }

    /** Makes this process present, unless it has been once. */
    void enter() {
        entering.lock();
        try {
            if (!entered) {
                enterNow();
            }
        } finally {
            entering.unlock();
        }
    }

    /** Whether this process has ever been present. */
    boolean isEntered() {
        return entered;
    }

    /** Whether a lease of this process that begins now is over before its presence can be. */
    boolean outlasts(Duration lease) {
        return entered && presentUntilNanos - time.nanoTime() >= lease.toNanos();
    }

    /** Keeps this process present, if that is due. True: it had been gone, and is back. */
    boolean runOnce() {
        long now = time.nanoTime();
        if (!entered || left || nextPassNanos - now > 0) {
            return false;
        }
        nextPassNanos = now + ttl.toNanos() / KEPT_ALIVE_EVERY / 4;
        Optional<Duration> kept = registers.keepAlive(process);
        if (kept.isPresent()) {
            present(now, kept.get());
            return false;
        }
        entering.lock();
        try {
            enterNow();
        } finally {
            entering.unlock();
        }
        return true;
    }

    /** Ends the presence; what is still held in the name of this process is anybody's then. */
    void leave() {
        left = true;
        if (entered) {
            registers.leave(process);
        }
    }

    /** Does nothing more: the presence ends by itself. */
    void abandon() {
        left = true;
    }

    /** Those of these processes that are gone; the store is asked about those that it has not vouched for. */
    Set<String> goneOf(Set<String> processes) {
        Set<String> unknown = new HashSet<>(processes);
        unknown.remove(process);
        unknown.removeAll(present);
        if (unknown.isEmpty()) {
            return unknown;
        }
        long before = epoch.get();
        Set<String> gone = registers.gone(unknown);
        unknown.removeAll(gone);
        present.addAll(unknown);
        if (epoch.get() != before) {
            present.removeAll(unknown); // word of its end may have been lost since
        }
        return gone;
    }

    void gone(String other) {
        epoch.incrementAndGet();
        present.remove(other);
        if (other.equals(process)) {
            nextPassNanos = time.nanoTime();
        }
    }

    /** Nobody vouches for the others any more. */
    void resync() {
        epoch.incrementAndGet();
        present.clear();
    }

    /** What is known of how many processes, for tests of leaks. */
    List<String> vouchedFor() {
        return List.copyOf(present);
    }

    private void enterNow() {
        long now = time.nanoTime();
        present(now, registers.enter(process, ttl, events));
        entered = true;
        if (left) {
            // Closed meanwhile, by somebody who did not know of it.
            try {
                registers.leave(process);
            } catch (BackendUnavailableException | OutcomeUnknownException e) {
                // Then it ends by itself.
            }
        }
    }

    private void present(long sinceNanos, Duration atLeast) {
        presentUntilNanos = sinceNanos + atLeast.toNanos();
        nextPassNanos = sinceNanos + Math.min(ttl.toNanos(), atLeast.toNanos()) / KEPT_ALIVE_EVERY;
    }
}
