package dev.tenon.tx.saga;

import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Participant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** One step of a definition: its name, the steps it comes after, its action and its compensation. */
record SagaStep(
        String name,
        List<String> after,
        boolean pivot,
        Participant action,
        Optional<Participant> compensation,
        Optional<Child> child) {
    /** The saga that a step is, and the one that undoes it. */
    record Child(String saga, Function<BranchCall, String> context, Optional<String> undo) {}

    SagaStep after(List<String> others) {
        return new SagaStep(name, others, pivot, action, compensation, child);
    }

    SagaStep asPivot() {
        return new SagaStep(name, after, true, action, compensation, child);
    }
}
