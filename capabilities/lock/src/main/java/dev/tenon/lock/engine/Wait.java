package dev.tenon.lock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One attempt to acquire a lock, as a state machine ({@link WaitState}): an input is decided on under a lock of the
 * attempt's own, one at a time, and what that leads to is done after it, outside: calls to the store and to callers.
 * Its owner has the inputs, and what they lead to. Thread-safe.
 */
public final class Wait {
    private static final Runnable NOTHING = () -> {};

    private final ReentrantLock guard = new ReentrantLock();
    private volatile WaitState state = WaitState.IDLE;

    private final Consumer<WaitState> entered;

    /**
     * An attempt that is {@link WaitState#IDLE}.
     *
     * @param entered told under the guard that a state was entered, perhaps again: for timers
     */
    public Wait(Consumer<WaitState> entered) {
        this.entered = entered;
    }

    /** Where it stands. A look from outside {@link #decide} may be late by the time that it is used. */
    public WaitState state() {
        return state;
    }

    /**
     * Decides on an input, and does what that leads to. Decisions don't block.
     *
     * @param decision made under the guard: where the attempt goes ({@link #enter}), and what is to be done then
     */
    public void decide(Supplier<Runnable> decision) {
        Runnable action;
        guard.lock();
        try {
            action = decision.get();
        } finally {
            guard.unlock();
        }
        action.run();
    }

    /**
     * Goes to another state. To be called in a decision.
     *
     * @throws IllegalStateException if {@link WaitState} has no such transition
     */
    public void enter(WaitState next) {
        if (!guard.isHeldByCurrentThread() || !state.leadsTo(next)) {
            throw new IllegalStateException("A wait can't go from " + state + " to " + next);
        }
        state = next;
        entered.accept(next);
    }

    /** What a decision leads to if there is nothing to do. */
    public static Runnable nothing() {
        return NOTHING;
    }

    /** Calls the store; what the call throws is a failed stage as well. */
    public static <T> CompletionStage<T> called(Supplier<CompletionStage<T>> call) {
        try {
            return call.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedStage(e);
        }
    }
}
