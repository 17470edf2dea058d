package dev.tenon.tx;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * A transaction as it is to begin. Immutable.
 *
 * @param gid its ID
 * @param kind its mode
 * @param service whose transaction it is: only the recovery of that service claims it; empty for the one that has no
 *     name
 * @param name what it does, with a version, such as {@code "order/2"}; empty if it has no name
 * @param payload what is given to the whole of it
 * @param parent the transaction that it is part of
 * @param state {@link TransactionState#ACTIVE}, or {@link TransactionState#COMMITTING} if it is decided from the
 *     beginning
 * @param deadline how long it may stay undecided, 1 ms to 365 days
 * @param retry when calls are made again
 * @param branches what it is made of, so far; at most {@value #BRANCHES_MAX}
 */
public record TransactionDraft(
        TransactionId gid,
        TransactionKind kind,
        String service,
        String name,
        String payload,
        Optional<TransactionId> parent,
        TransactionState state,
        Duration deadline,
        RetryPolicy retry,
        List<BranchRecord> branches) {
    /** The greatest number of branches. */
    public static final int BRANCHES_MAX = 1000;

    /** The greatest number of characters of all payloads of one transaction. */
    public static final int PAYLOAD_LENGTH_MAX = 1 << 20;

    /** The greatest number of characters of a name or a target. */
    public static final int TEXT_LENGTH_MAX = 1000;

    /** The greatest number of characters of a service, so that databases can have it in an index. */
    public static final int SERVICE_LENGTH_MAX = 200;

    private static final Duration DEADLINE_MAX = Duration.ofDays(365);

    /**
     * @throws IllegalArgumentException if a value is out of its bounds, two branches have one name, or one is after a
     *     branch that there is not, or after itself
     */
    public TransactionDraft {
        Objects.requireNonNull(gid, "gid");
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(parent, "parent");
        Objects.requireNonNull(retry, "retry");
        branches = List.copyOf(branches);
        requireShort("service", service, SERVICE_LENGTH_MAX);
        requireShort("name", name);
        if (state != TransactionState.ACTIVE && state != TransactionState.COMMITTING) {
            throw new IllegalArgumentException("A transaction begins active, or committing, not " + state);
        }
        if (deadline.compareTo(Duration.ofMillis(1)) < 0 || deadline.compareTo(DEADLINE_MAX) > 0) {
            throw new IllegalArgumentException("The deadline is 1 ms to 365 days from now, not " + deadline);
        }
        requireBranches(branches);
        long length = payload.length()
                + branches.stream().mapToLong(b -> b.payload().length()).sum();
        if (length > PAYLOAD_LENGTH_MAX) {
            throw new IllegalArgumentException("The payloads have " + length + " characters together, at most "
                    + PAYLOAD_LENGTH_MAX + " are allowed; store the content elsewhere, and send where it is");
        }
    }

    /** This with other branches. */
    public TransactionDraft withBranches(List<BranchRecord> next) {
        return new TransactionDraft(gid, kind, service, name, payload, parent, state, deadline, retry, next);
    }

    /**
     * What tells this transaction from another one under the same ID: a hash of everything that its caller has chosen
     * (not of when).
     */
    public String digest() {
        StringBuilder text = new StringBuilder();
        append(
                text,
                kind.text(),
                service,
                name,
                payload,
                parent.map(TransactionId::text).orElse(""));
        append(text, state.name(), deadline.toString(), retry.text());
        for (BranchRecord branch : branches) {
            append(text, branch.name(), String.valueOf(branch.pivot()), branch.payload());
            append(text, String.valueOf(branch.after().size()));
            branch.after().forEach(other -> append(text, other));
            new TreeMap<>(branch.targets()).forEach((operation, target) -> append(text, operation.text(), target));
        }
        try {
            byte[] hash =
                    MessageDigest.getInstance("SHA-256").digest(text.toString().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has SHA-256", e);
        }
    }

    /**
     * Checks the branches of a transaction.
     *
     * @throws IllegalArgumentException if there are too many, two have one name, a name is out of its bounds, or one
     *     stands before a branch that it comes after
     */
    public static void requireBranches(List<BranchRecord> branches) {
        if (branches.size() > BRANCHES_MAX) {
            throw new IllegalArgumentException(
                    "A transaction has at most " + BRANCHES_MAX + " branches, this one has " + branches.size());
        }
        Set<String> earlier = new HashSet<>();
        for (BranchRecord branch : branches) {
            requireShort("name of a branch", branch.name());
            if (branch.name().isEmpty() || branch.name().length() > 200) {
                throw new IllegalArgumentException("The name of a branch has 1 to 200 characters, not "
                        + branch.name().length());
            }
            branch.targets().values().forEach(target -> requireShort("target of " + branch.name(), target));
            for (String other : branch.after()) {
                if (!earlier.contains(other)) {
                    throw new IllegalArgumentException("Branch \"" + branch.name() + "\" is after \"" + other
                            + "\", which does not stand before it: list a branch after those that it builds on");
                }
            }
            if (!earlier.add(branch.name())) {
                throw new IllegalArgumentException("There are two branches \"" + branch.name() + "\"");
            }
        }
    }

    private static void requireShort(String what, String text) {
        requireShort(what, text, TEXT_LENGTH_MAX);
    }

    private static void requireShort(String what, String text, int max) {
        Objects.requireNonNull(text, what);
        if (text.length() > max) {
            throw new IllegalArgumentException(
                    "The " + what + " has " + text.length() + " characters; at most " + max + " are allowed");
        }
    }

    private static void append(StringBuilder text, String... parts) {
        for (String part : parts) {
            text.append(part.length()).append(':').append(part);
        }
    }
}
