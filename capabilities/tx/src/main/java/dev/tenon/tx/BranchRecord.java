package dev.tenon.tx;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * One branch of a transaction in the log. Immutable.
 *
 * @param name unique in its transaction, 1 to 200 characters
 * @param after the branches whose effect this one builds on
 * @param pivot whether its success decides the transaction (Mehrotra et al., "A transaction model for multidatabase
 *     systems", ICDCS 1992)
 * @param targets the participant of each operation; an operation without one is not called
 * @param payload what is given to the participant
 * @param state how far it is
 * @param attempts how often the operation that is due was called
 * @param dueAt the earliest time of the next call, by the store's clock; empty: at once
 * @param result what the participant answered
 * @param lastError why the last call was not the last
 */
public record BranchRecord(
        String name,
        List<String> after,
        boolean pivot,
        Map<Operation, String> targets,
        String payload,
        BranchState state,
        int attempts,
        Optional<Instant> dueAt,
        Optional<String> result,
        Optional<String> lastError) {
    /** The greatest number of characters of {@link #lastError} that is kept. */
    public static final int ERROR_LENGTH_MAX = 1000;

    public BranchRecord {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(payload, "payload");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(dueAt, "dueAt");
        Objects.requireNonNull(result, "result");
        after = List.copyOf(after);
        targets = Map.copyOf(targets);
        lastError = lastError.map(
                text -> text.length() <= ERROR_LENGTH_MAX ? text : text.substring(0, ERROR_LENGTH_MAX - 1) + "…");
    }

    /** A branch that was not called yet, and that no other has to precede. */
    public static BranchRecord planned(String name, Map<Operation, String> targets, String payload) {
        return new BranchRecord(
                name,
                List.of(),
                false,
                targets,
                payload,
                BranchState.PLANNED,
                0,
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    /** This, after {@code branches}. */
    public BranchRecord after(List<String> branches) {
        return new BranchRecord(name, branches, pivot, targets, payload, state, attempts, dueAt, result, lastError);
    }

    /** This as the pivot. */
    public BranchRecord asPivot() {
        return new BranchRecord(name, after, true, targets, payload, state, attempts, dueAt, result, lastError);
    }

    /** This in another state, after a call that was its last. */
    public BranchRecord in(BranchState next) {
        return new BranchRecord(
                name, after, pivot, targets, payload, next, attempts, Optional.empty(), result, Optional.empty());
    }

    /** This in another state, to be called at once, with its calls counted anew. */
    public BranchRecord afresh(BranchState next) {
        return new BranchRecord(name, after, pivot, targets, payload, next, 0, Optional.empty(), result, lastError);
    }

    /** This in another state, and why. */
    public BranchRecord in(BranchState next, String error) {
        return new BranchRecord(
                name, after, pivot, targets, payload, next, attempts, Optional.empty(), result, Optional.of(error));
    }

    /** This with one more call. */
    public BranchRecord called(BranchState next) {
        return new BranchRecord(
                name, after, pivot, targets, payload, next, attempts + 1, Optional.empty(), result, lastError);
    }

    /** This with one call less, as it was not made. */
    public BranchRecord uncalled() {
        return new BranchRecord(
                name, after, pivot, targets, payload, state, Math.max(0, attempts - 1), dueAt, result, lastError);
    }

    /** This after a call that has to be made again. */
    public BranchRecord again(Instant at, String error) {
        return new BranchRecord(
                name, after, pivot, targets, payload, state, attempts, Optional.of(at), result, Optional.of(error));
    }

    /** This with the answer of its participant. */
    public BranchRecord withResult(String answer) {
        return new BranchRecord(
                name,
                after,
                pivot,
                targets,
                payload,
                state,
                attempts,
                dueAt,
                answer.isEmpty() ? Optional.empty() : Optional.of(answer),
                lastError);
    }
}
