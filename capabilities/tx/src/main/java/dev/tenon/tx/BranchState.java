package dev.tenon.tx;

/** How far one branch of a transaction is. */
public enum BranchState {
    /** Not called yet. */
    PLANNED,
    /** Called, or about to be: whether it had its effect is not known. */
    CALLED,
    /** Its step, its reservation or its delivery is done. */
    DONE,
    /** The participant has refused it for good: it had no effect. */
    REFUSED,
    /** Its reservation was confirmed. */
    CONFIRMED,
    /** Its effect, if it ever had one, is undone. */
    UNDONE,
    /** It can't be completed: an operator has to resolve it. */
    STUCK;

    /** Whether it did, or may have done, something that an abort has to undo. */
    public boolean mayHaveRun() {
        return this == CALLED || this == DONE || this == STUCK;
    }
}
