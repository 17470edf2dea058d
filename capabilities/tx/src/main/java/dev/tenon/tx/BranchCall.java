package dev.tenon.tx;

import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * One call to a participant. It may come more than once, late, or after the call that undoes it: the {@link Barrier}
 * deals with that. Immutable.
 *
 * @param gid the transaction
 * @param branch name of the branch, of 1 to 200 characters
 * @param operation what to do
 * @param target the participant: an address, or a name
 * @param payload what was given for the branch, or else for the whole transaction; empty text if nothing was
 * @param results what the branches before it answered, by their names
 * @param attempt 1 for the first call, and so on
 */
public record BranchCall(
        TransactionId gid,
        String branch,
        Operation operation,
        String target,
        String payload,
        Map<String, String> results,
        int attempt) {
    public BranchCall {
        Objects.requireNonNull(gid, "gid");
        Objects.requireNonNull(branch, "branch");
        Objects.requireNonNull(operation, "operation");
        Objects.requireNonNull(target, "target");
        Objects.requireNonNull(payload, "payload");
        results = Map.copyOf(results);
    }

    /** What the branch {@code name} answered; empty if it answered nothing, or is not done. */
    public Optional<String> result(String name) {
        return Optional.ofNullable(results.get(name));
    }
}
