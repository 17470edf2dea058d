package dev.tenon.tx.global;

import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Which global transaction a thread is in. One of it belongs to each {@link GlobalTransactions}; what is to take part,
 * such as a {@code DataSource}, may have it before those are made. Another thread is in none, unless its work was
 * {@linkplain #wrap wrapped}. Thread-safe.
 */
public final class GlobalScope {
    private final ThreadLocal<State> states = new ThreadLocal<>();

    /**
     * What a thread is in.
     *
     * @param transaction the transaction, or null if there is none
     * @param readOnly whether branches are refused
     */
    record State(@Nullable GlobalTransaction transaction, boolean readOnly) {
        static final State NONE = new State(null, false);
    }

    /** A scope that no thread is in yet. */
    public GlobalScope() {}

    /** The transaction of this thread; empty if it is in none. */
    public Optional<GlobalTransaction> current() {
        return Optional.ofNullable(state().transaction());
    }

    /** Whether this thread may change nothing: it is in a scope for reading. */
    public boolean isReadOnly() {
        return state().readOnly();
    }

    /**
     * The transaction that a branch of this thread is to be part of; empty if there is none.
     *
     * @throws IllegalStateException if the thread is in a scope for reading
     */
    public Optional<GlobalTransaction> writing() {
        if (isReadOnly()) {
            throw new IllegalStateException(
                    "This is a read-only global transaction: it takes no branches, as those write");
        }
        return current();
    }

    /**
     * The work, in the global transaction that this thread is in now, whichever thread runs it. It has to be over
     * before the scope of that transaction ends: later ones are refused.
     */
    public Runnable wrap(Runnable work) {
        Objects.requireNonNull(work, "work");
        State here = state();
        return () -> {
            State before = enter(here);
            try {
                work.run();
            } finally {
                restore(before);
            }
        };
    }

    /** As {@link #wrap(Runnable)}, for work that answers. */
    public <T extends @Nullable Object> Callable<T> wrap(Callable<T> work) {
        Objects.requireNonNull(work, "work");
        State here = state();
        return () -> {
            State before = enter(here);
            try {
                return work.call();
            } finally {
                restore(before);
            }
        };
    }

    State state() {
        State state = states.get();
        return state == null ? State.NONE : state;
    }

    /** Returns what the thread was in before, to {@link #restore} it. */
    State enter(State next) {
        State before = state();
        restore(next);
        return before;
    }

    void restore(State before) {
        if (before.equals(State.NONE)) {
            states.remove();
        } else {
            states.set(before);
        }
    }
}
