package dev.tenon.tx;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * One transaction as the log has it. All times are the store's. Immutable.
 *
 * @param gid its ID
 * @param kind its mode
 * @param service whose transaction it is
 * @param name what it does, with a version; may be empty
 * @param digest of what it began with ({@link TransactionDraft#digest})
 * @param payload what is given to the whole of it
 * @param parent the transaction that it is part of
 * @param retry when calls are made again
 * @param createdAt when it began
 * @param deadline until when it may stay undecided
 * @param progress how far it is
 * @param branches what it is made of, in their order
 */
public record TransactionRecord(
        TransactionId gid,
        TransactionKind kind,
        String service,
        String name,
        String digest,
        String payload,
        Optional<TransactionId> parent,
        RetryPolicy retry,
        Instant createdAt,
        Instant deadline,
        Progress progress,
        List<BranchRecord> branches) {
    public TransactionRecord {
        Objects.requireNonNull(gid, "gid");
        branches = List.copyOf(branches);
    }

    /**
     * What changes.
     *
     * @param state how far it is
     * @param version goes up with each write: a writer names the one that it has read, and fails if it has moved on
     * @param claims how often it was claimed, its epoch: a process that was paused beyond its claim finds a greater one
     * @param owner the process that drives it; empty if none does
     * @param dueAt when recovery may claim it: the end of the claim if a process drives it
     * @param suspended why it waits for an operator; empty if it does not
     * @param endedAt when it became final
     * @param trouble that its calls are made again and again; empty if none waits for its next attempt
     */
    public record Progress(
            TransactionState state,
            long version,
            long claims,
            Optional<String> owner,
            Instant dueAt,
            Optional<String> suspended,
            Optional<Instant> endedAt,
            Optional<Trouble> trouble) {
        public Progress {
            Objects.requireNonNull(state, "state");
            Objects.requireNonNull(dueAt, "dueAt");
            Objects.requireNonNull(endedAt, "endedAt");
            Objects.requireNonNull(trouble, "trouble");
            suspended = suspended.map(text -> text.length() <= BranchRecord.ERROR_LENGTH_MAX
                    ? text
                    : text.substring(0, BranchRecord.ERROR_LENGTH_MAX - 1) + "…");
        }

        /** This in another state. */
        public Progress in(TransactionState next) {
            return new Progress(next, version, claims, owner, dueAt, suspended, endedAt, trouble);
        }

        /** This of another version. */
        public Progress ofVersion(long next) {
            return new Progress(state, next, claims, owner, dueAt, suspended, endedAt, trouble);
        }

        /** This, not to be claimed before {@code at}; {@code next} drives it until then. */
        public Progress due(Instant at, Optional<String> next) {
            return new Progress(state, version, claims, next, at, suspended, endedAt, trouble);
        }

        /** This, claimed so often. */
        public Progress claimed(long times) {
            return new Progress(state, version, times, owner, dueAt, suspended, endedAt, trouble);
        }

        /** This, waiting for an operator. */
        public Progress suspendedFor(Optional<String> reason) {
            return new Progress(state, version, claims, owner, dueAt, reason, endedAt, trouble);
        }

        /** This with that end. */
        public Progress endedAt(Optional<Instant> at) {
            return new Progress(state, version, claims, owner, dueAt, suspended, at, trouble);
        }

        /** This with that trouble. */
        public Progress troubled(Optional<Trouble> next) {
            return new Progress(state, version, claims, owner, dueAt, suspended, endedAt, next);
        }
    }

    /**
     * Calls that are retried again and again. Retries go on, without end if it is decided; but an operator should be
     * alerted.
     *
     * @param since when a call had to be made again for the first time
     * @param stuckAt when that had lasted for so long, or was so often, that it was reported as stuck
     *     ({@link dev.tenon.tx.StuckAfter}); empty if it was not
     */
    public record Trouble(Instant since, Optional<Instant> stuckAt) {
        public Trouble {
            Objects.requireNonNull(since, "since");
            Objects.requireNonNull(stuckAt, "stuckAt");
        }
    }

    /** How far it is. */
    public TransactionState state() {
        return progress.state();
    }

    /** Why it waits for an operator; empty if it does not. */
    public Optional<String> suspended() {
        return progress.suspended();
    }

    /** Since when it is reported as stuck, though it goes on; empty if it is not. */
    public Optional<Instant> stuckAt() {
        return progress.trouble().flatMap(Trouble::stuckAt);
    }

    /** Whether an operator should look at it: it is suspended, or reported as stuck. */
    public boolean needsAttention() {
        return !state().isFinal() && (suspended().isPresent() || stuckAt().isPresent());
    }

    /** The branch of that name. */
    public Optional<BranchRecord> branch(String branch) {
        return branches.stream().filter(b -> b.name().equals(branch)).findFirst();
    }

    /** What the branches that are done have answered, by their names. */
    public Map<String, String> results() {
        Map<String, String> results = new HashMap<>();
        branches.forEach(branch -> branch.result().ifPresent(result -> results.put(branch.name(), result)));
        return results;
    }

    /** Whether every branch is in one of these states. */
    public boolean allIn(BranchState... states) {
        List<BranchState> allowed = List.of(states);
        return branches.stream().allMatch(branch -> allowed.contains(branch.state()));
    }

    /** Whether a branch is in that state. */
    public boolean anyIn(BranchState state) {
        return branches.stream().anyMatch(branch -> branch.state() == state);
    }

    /** This with other progress. */
    public TransactionRecord with(Progress next) {
        return new TransactionRecord(
                gid, kind, service, name, digest, payload, parent, retry, createdAt, deadline, next, branches);
    }

    /** This with other branches. */
    public TransactionRecord withBranches(List<BranchRecord> next) {
        return new TransactionRecord(
                gid, kind, service, name, digest, payload, parent, retry, createdAt, deadline, progress, next);
    }

    /** This with one branch changed. */
    public TransactionRecord change(String branch, UnaryOperator<BranchRecord> change) {
        List<BranchRecord> next = new ArrayList<>(branches);
        next.replaceAll(b -> b.name().equals(branch) ? change.apply(b) : b);
        return withBranches(next);
    }

    /** This in another state; nothing else changes. */
    public TransactionRecord in(TransactionState state) {
        return with(progress.in(state));
    }

    /** This, waiting for an operator. */
    public TransactionRecord suspendedFor(Optional<String> reason) {
        return with(progress.suspendedFor(reason));
    }

    /** This, not to be claimed before {@code at}; {@code owner} drives it until then. */
    public TransactionRecord due(Instant at, Optional<String> owner) {
        return with(progress.due(at, owner));
    }

    /** This, driven by {@code owner} until then, and by no process that drove it before. */
    public TransactionRecord claimedBy(String owner, Instant until) {
        return with(progress.due(until, Optional.of(owner)).claimed(progress.claims() + 1));
    }
}
