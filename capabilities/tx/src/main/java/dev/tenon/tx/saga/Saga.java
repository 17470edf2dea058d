package dev.tenon.tx.saga;

import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Reply;
import dev.tenon.tx.RetryPolicy;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * What a saga is made of: named steps, each with an action and mostly a compensation, and which step builds on which.
 * The log has the names only, so a definition is to stay as it is once it has been started: what changes gets the next
 * version. Immutable.
 */
public final class Saga {
    /** The greatest number of characters in the name of a saga or of a step. */
    public static final int NAME_LENGTH_MAX = 60;

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1," + NAME_LENGTH_MAX + "}");

    private final String name;
    private final int version;
    private final List<SagaStep> steps;
    private final Duration deadline;
    private final RetryPolicy retry;
    private final boolean forwardOnly;

    private Saga(Builder builder) {
        this.name = builder.name;
        this.version = builder.version;
        this.steps = List.copyOf(builder.steps.values());
        this.deadline = builder.deadline;
        this.retry = builder.retry;
        this.forwardOnly = builder.forwardOnly;
    }

    /**
     * Begins a definition.
     *
     * @param name 1 to {@value #NAME_LENGTH_MAX} letters, digits or any of {@code . _ -}
     * @param version 1 or more
     */
    public static Builder named(String name, int version) {
        return new Builder(requireName("saga", name), version);
    }

    /** Its name. */
    public String name() {
        return name;
    }

    /** Its version. */
    public int version() {
        return version;
    }

    /** As it stands in the log: {@code order/2}. */
    public String text() {
        return name + "/" + version;
    }

    List<SagaStep> steps() {
        return steps;
    }

    Duration deadline() {
        return deadline;
    }

    RetryPolicy retry() {
        return retry;
    }

    boolean isForwardOnly() {
        return forwardOnly;
    }

    /** The participant that the log names for a step. */
    String target(SagaStep step) {
        return "saga:" + text() + "/" + step.name();
    }

    private static String requireName(String what, String name) {
        Objects.requireNonNull(name, what);
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("The name of a " + what + " is 1 to " + NAME_LENGTH_MAX
                    + " letters, digits or . _ -, not \"" + name + "\"");
        }
        return name;
    }

    /** Collects the steps. Not thread-safe. */
    public static final class Builder {
        private final String name;
        private final int version;
        private final Map<String, SagaStep> steps = new LinkedHashMap<>();
        private Duration deadline = Duration.ofHours(1);
        private RetryPolicy retry = RetryPolicy.FOR_EVER;
        private boolean forwardOnly;
        private String last = "";

        private Builder(String name, int version) {
            if (version < 1) {
                throw new IllegalArgumentException("A version is 1 or more, not " + version);
            }
            this.name = name;
            this.version = version;
        }

        /** A step that leaves nothing to undo. It comes after the one before, unless {@link #after} says otherwise. */
        public Builder step(String step, Participant action) {
            return add(step, action, Optional.empty(), Optional.empty());
        }

        /**
         * A step.
         *
         * @param action does it. The payload of the call is what the saga was started with, and what the steps before
         *     have answered is in its results. To refuse means that it had no effect: it is not compensated
         * @param compensation undoes it. It is also called if it is not known whether the action was done: put both
         *     behind the {@link dev.tenon.tx.Barrier}
         */
        public Builder step(String step, Participant action, Participant compensation) {
            return add(step, action, Optional.of(compensation), Optional.empty());
        }

        /**
         * A step that is a saga of its own, with its own outcome and an ID made of this one's: {@code gid:step}. The
         * step is done when that one is committed, refused when it is aborted. Turned back while it still runs, it is
         * aborted; once it is committed, nothing of it is undone.
         *
         * @param saga name of the other one; its newest version here is started
         * @param context what it is started with, made from the call of this step
         */
        public Builder child(String step, String saga, Function<BranchCall, String> context) {
            return add(step, call -> alone(step), Optional.empty(), child(saga, context, Optional.empty()));
        }

        /**
         * As {@link #child(String, String, Function)}; what it has committed is undone by the saga {@code undo}, which
         * goes forward only as a rule, and is started with the context of the other under the ID {@code gid:step:undo}.
         */
        public Builder child(String step, String saga, Function<BranchCall, String> context, String undo) {
            Optional<String> undoneBy = Optional.of(requireName("saga", undo));
            return add(step, call -> alone(step), Optional.empty(), child(saga, context, undoneBy));
        }

        private static Optional<SagaStep.Child> child(
                String saga, Function<BranchCall, String> context, Optional<String> undo) {
            return Optional.of(
                    new SagaStep.Child(requireName("saga", saga), Objects.requireNonNull(context, "context"), undo));
        }

        private static Reply alone(String step) {
            throw new IllegalStateException(
                    "Step " + step + " is a saga: it is called through a registry of sagas only");
        }

        private Builder add(
                String step, Participant action, Optional<Participant> undo, Optional<SagaStep.Child> child) {
            requireName("step", step);
            Objects.requireNonNull(action, "action");
            List<String> after = last.isEmpty() ? List.of() : List.of(last);
            if (steps.putIfAbsent(step, new SagaStep(step, after, false, action, undo, child)) != null) {
                throw new IllegalArgumentException("Saga " + name + " has two steps \"" + step + "\"");
            }
            last = step;
            return this;
        }

        /**
         * Puts the step that was added last after these, which stand before it; after none: it starts at once. Steps
         * that do not build on each other run at the same time.
         */
        public Builder after(String... others) {
            for (String other : others) {
                if (!steps.containsKey(other) || other.equals(last)) {
                    throw new IllegalArgumentException("Step \"" + last + "\" is after \"" + other
                            + "\", which does not stand before it: list a step after those that it builds on");
                }
            }
            return changeLast(step -> step.after(List.of(others)));
        }

        /**
         * Makes the step that was added last the one that decides: until it is done the saga can turn back; from then
         * on it goes forward only. It and the steps after it need no compensation.
         */
        public Builder pivot() {
            return changeLast(SagaStep::asPivot);
        }

        private Builder changeLast(Function<SagaStep, SagaStep> change) {
            if (last.isEmpty()) {
                throw new IllegalArgumentException("Add a step first: this is about the step before it");
            }
            steps.computeIfPresent(last, (key, step) -> change.apply(step));
            return this;
        }

        /** How long it may stay undecided before it turns back, 1 ms to 365 days; 1 hour if nothing is said. */
        public Builder deadline(Duration time) {
            this.deadline = Objects.requireNonNull(time, "deadline");
            return this;
        }

        /**
         * When a call that failed is made again; {@link RetryPolicy#FOR_EVER} if nothing is said. An action that has
         * used up its calls turns the saga back; a compensation that has, waits for an operator.
         */
        public Builder retry(RetryPolicy policy) {
            this.retry = Objects.requireNonNull(policy, "policy");
            return this;
        }

        /** Never turns back: every step is called until it is done (forward recovery). Steps need no compensation. */
        public Builder forwardOnly() {
            this.forwardOnly = true;
            return this;
        }

        /**
         * The definition.
         *
         * @throws IllegalArgumentException if it has no steps, or some that contradict each other
         */
        public Saga build() {
            if (steps.isEmpty()) {
                throw new IllegalArgumentException("Saga " + name + " has no steps");
            }
            List<SagaStep> pivots =
                    steps.values().stream().filter(SagaStep::pivot).toList();
            if (pivots.size() > 1 || forwardOnly && !pivots.isEmpty()) {
                throw new IllegalArgumentException(
                        "Saga " + name
                                + " is to be decided more than once: it has one pivot at most, and none if it goes forward only");
            }
            Set<String> neverUndone = new HashSet<>(forwardOnly ? steps.keySet() : Set.of());
            pivots.forEach(pivot -> neverUndone.addAll(fromPivotOn(pivot)));
            for (SagaStep step : steps.values()) {
                if (neverUndone.contains(step.name()) && step.compensation().isPresent()) {
                    throw new IllegalArgumentException("Step \"" + step.name() + "\" of saga " + name
                            + " is never undone: leave its compensation out, or move the pivot");
                }
            }
            return new Saga(this);
        }

        private Set<String> fromPivotOn(SagaStep pivot) {
            Map<String, Set<String>> before = new HashMap<>();
            for (SagaStep step : steps.values()) {
                Set<String> all = new HashSet<>(step.after());
                step.after().forEach(other -> all.addAll(before.getOrDefault(other, Set.of())));
                before.put(step.name(), all);
            }
            Set<String> earlier = before.getOrDefault(pivot.name(), Set.of());
            Set<String> later = new HashSet<>(Set.of(pivot.name()));
            for (SagaStep step : steps.values()) {
                if (before.getOrDefault(step.name(), Set.of()).contains(pivot.name())) {
                    later.add(step.name());
                } else if (!earlier.contains(step.name()) && !step.equals(pivot)) {
                    throw new IllegalArgumentException("Step \"" + step.name() + "\" of saga " + name
                            + " runs beside the pivot, so it might be refused when nothing can turn back any more:"
                            + " put it before or after \"" + pivot.name() + "\"");
                }
            }
            return later;
        }
    }
}
