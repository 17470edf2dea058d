package dev.tenon.tx.tcc;

import java.util.Objects;

/**
 * One reservation that a transaction makes. Immutable.
 *
 * @param name unique in its transaction, 1 to 200 characters
 * @param participant the one to call: a name of {@link Tcc#register}
 * @param payload what the participant is given in each of its three calls: JSON as a rule
 */
public record TccBranch(String name, String participant, String payload) {
    public TccBranch {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(participant, "participant");
        Objects.requireNonNull(payload, "payload");
    }

    /** A branch that is called as its participant is: for one that takes part once. */
    public static TccBranch of(String participant, String payload) {
        return new TccBranch(participant, participant, payload);
    }
}
