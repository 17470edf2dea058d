package dev.tenon.testkit.history;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Looks for an order of a history's operations in which each one is possible, all that were answered are there, and
 * none comes before another that was answered before it was asked for: linearizability (Herlihy and Wing, 1990), by
 * depth-first search (Wing and Gong, 1993) that remembers which sets of operations have led to which states in vain
 * (Lowe, "Testing for linearizability", 2017). An uncertain operation may take its place at any time since it was asked
 * for, or have none.
 *
 * <p>The search is exponential where very much happens at once; after {@link #STEPS_MAX} steps it gives up, which is no
 * verdict. Not thread-safe; the entry is the stateless {@link #check}.
 *
 * @param <S> the states of the model
 */
public final class Linearizability<S> {
    /** So many steps of the search take some seconds of one core. */
    public static final long STEPS_MAX = 2_000_000;

    private final Model<S> model;
    private final List<Operation> operations;
    private final Set<Seen> seen = new HashSet<>();
    private Path<S> longest;

    /** What has happened on the way that is being tried, and what could come next. */
    private record Path<S>(
            @Nullable Path<S> before, int last, int length, BitSet done, S state, Deque<Integer> candidates) {}

    private record Seen(BitSet done, Object state) {}

    /**
     * The verdict.
     *
     * @param possible whether there is such an order
     * @param order one, if there is; else the longest that was found
     * @param explanation for people: empty if possible; else where it can't go on, and the history
     */
    public record Verdict(boolean possible, List<Operation> order, String explanation) {}

    private Linearizability(Model<S> model, List<Operation> history) {
        this.model = model;
        this.operations = history.stream()
                .sorted(Comparator.comparingLong(Operation::invoked))
                .toList();
        BitSet nothing = new BitSet(operations.size());
        this.longest = new Path<>(null, -1, 0, nothing, model.initial(), candidates(nothing, model.initial()));
    }

    /**
     * Checks the history of one lock.
     *
     * @throws IllegalStateException if {@link #STEPS_MAX} steps were not enough
     */
    public static <S> Verdict check(Model<S> model, List<Operation> history) {
        return new Linearizability<>(model, history).search();
    }

    private Verdict search() {
        long steps = 0;
        Deque<Path<S>> way = new ArrayDeque<>();
        way.push(longest);
        while (true) {
            Path<S> at = way.peek();
            if (at == null) {
                return new Verdict(false, order(longest), explanation());
            }
            if (nothingCertainIsLeft(at.done())) {
                return new Verdict(true, order(at), "");
            }
            Integer next = at.candidates().poll();
            if (next == null) {
                way.pop();
                continue;
            }
            if (++steps > STEPS_MAX) {
                throw new IllegalStateException("Undecided after " + STEPS_MAX + " steps. " + explanation());
            }
            Optional<S> state = model.next(at.state(), operations.get(next));
            if (state.isPresent()) {
                Path<S> further = then(at, next, state.get());
                if (seen.add(new Seen(further.done(), further.state()))) {
                    way.push(further);
                    longest = further.length() > longest.length() ? further : longest;
                }
            }
        }
    }

    private Path<S> then(Path<S> at, int next, S state) {
        BitSet done = (BitSet) at.done().clone();
        done.set(next);
        return new Path<>(at, next, at.length() + 1, done, state, candidates(done, state));
    }

    /**
     * What was asked for before the first answer that is still to be explained; what was answered first comes first.
     * Marks as done what is spent, so that two ways to the same state are one.
     */
    private Deque<Integer> candidates(BitSet done, S state) {
        long firstAnswer = Operation.NEVER;
        List<Integer> found = new ArrayList<>();
        for (int i = done.nextClearBit(0); i < operations.size(); i = done.nextClearBit(i + 1)) {
            Operation operation = operations.get(i);
            if (operation.invoked() > firstAnswer) {
                break;
            }
            if (!operation.certain() && model.isSpent(state, operation)) {
                done.set(i);
            } else {
                firstAnswer = Math.min(firstAnswer, operation.returned());
                found.add(i);
            }
        }
        found.sort(Comparator.comparingLong(i -> operations.get(i).returned()));
        return new ArrayDeque<>(found);
    }

    private boolean nothingCertainIsLeft(BitSet done) {
        for (int i = done.nextClearBit(0); i < operations.size(); i = done.nextClearBit(i + 1)) {
            if (operations.get(i).certain()) {
                return false;
            }
        }
        return true;
    }

    private List<Operation> order(Path<S> end) {
        LinkedList<Operation> order = new LinkedList<>();
        for (Path<S> at = end; at != null && at.last() >= 0; at = at.before()) {
            order.addFirst(operations.get(at.last()));
        }
        return List.copyOf(order);
    }

    private String explanation() {
        List<Operation> order = order(longest);
        List<String> lines = new ArrayList<>();
        lines.add("After " + order.size() + " operations the lock is " + longest.state()
                + ", and nothing of this can come next:");
        candidates((BitSet) longest.done().clone(), longest.state()).forEach(i -> lines.add("  " + operations.get(i)));
        lines.add("The longest order that was found:");
        order.forEach(operation -> lines.add("  " + operation));
        lines.add("The whole history:");
        operations.forEach(operation -> lines.add("  " + operation));
        return String.join("\n", lines);
    }
}
