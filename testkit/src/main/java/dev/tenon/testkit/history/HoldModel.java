package dev.tenon.testkit.history;

import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.LockMode.Kind;
import dev.tenon.testkit.history.Operation.Freed;
import dev.tenon.testkit.history.Operation.Granted;
import dev.tenon.testkit.history.Operation.Seen;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A lock of every mode with fencing tokens: who holds it together fits together, and each hold has a greater token than
 * all before it. With exclusive holds alone it is the fenced mutex, with shared ones the read-write lock, with permits
 * the semaphore. Its rules are its own, and not those of the code that it is to judge.
 */
public final class HoldModel implements Model<HoldModel.Held> {
    /**
     * Who holds the lock.
     *
     * @param holds the mode of each, by token
     * @param greatest the last token; zero before the first
     */
    public record Held(SortedMap<Long, LockMode> holds, long greatest) {}

    @Override
    public Held initial() {
        return new Held(new TreeMap<>(), 0);
    }

    @Override
    public Optional<Held> next(Held state, Operation operation) {
        SortedMap<Long, LockMode> holds = new TreeMap<>(state.holds());
        if (operation.change() instanceof Seen seen) {
            return seen.tokens().equals(holds.keySet()) ? Optional.of(state) : Optional.empty();
        }
        if (operation.change() instanceof Freed freed) {
            boolean held = holds.remove(freed.token()) != null;
            return held || operation.certain() ? Optional.of(new Held(holds, state.greatest())) : Optional.empty();
        }
        if (operation.change() instanceof Granted granted
                && granted.token() > state.greatest()
                && holds.values().stream().allMatch(other -> together(granted.mode(), other))
                && taken(holds) + granted.mode().permits() <= granted.mode().max()) {
            holds.put(granted.token(), granted.mode());
            return Optional.of(new Held(holds, granted.token()));
        }
        return Optional.empty();
    }

    /** A token comes once, and none after a greater one: the end of a hold that is over means nothing any more. */
    @Override
    public boolean isSpent(Held state, Operation uncertain) {
        if (uncertain.change() instanceof Granted granted) {
            return granted.token() <= state.greatest();
        }
        return uncertain.change() instanceof Freed freed
                && freed.token() <= state.greatest()
                && !state.holds().containsKey(freed.token());
    }

    private static boolean together(LockMode one, LockMode other) {
        Kind beside = other.kind();
        return switch (one.kind()) {
            case EXCLUSIVE -> false;
            case SHARED -> beside == Kind.SHARED || beside == Kind.UPDATE;
            case UPDATE -> beside == Kind.SHARED;
            case PERMITS -> beside == Kind.PERMITS;
        };
    }

    private static int taken(SortedMap<Long, LockMode> holds) {
        return holds.values().stream().mapToInt(LockMode::permits).sum();
    }
}
