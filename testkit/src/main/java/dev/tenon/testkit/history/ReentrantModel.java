package dev.tenon.testkit.history;

import dev.tenon.testkit.history.Operation.Entered;
import dev.tenon.testkit.history.Operation.Left;
import java.util.Optional;

/**
 * A lock that its owner may take again, and must leave as often: as {@link java.util.concurrent.locks.ReentrantLock}.
 */
public final class ReentrantModel implements Model<ReentrantModel.Owned> {
    /**
     * Who owns the lock.
     *
     * @param owner the process; empty if nobody does
     * @param times how often it went in
     */
    public record Owned(String owner, int times) {}

    private static final Owned FREE = new Owned("", 0);

    @Override
    public Owned initial() {
        return FREE;
    }

    @Override
    public Optional<Owned> next(Owned state, Operation operation) {
        boolean mine = state.owner().equals(operation.process());
        if (operation.change() instanceof Entered && (mine || state.equals(FREE))) {
            return Optional.of(new Owned(operation.process(), state.times() + 1));
        }
        if (operation.change() instanceof Left && mine) {
            return Optional.of(state.times() == 1 ? FREE : new Owned(state.owner(), state.times() - 1));
        }
        return Optional.empty();
    }
}
