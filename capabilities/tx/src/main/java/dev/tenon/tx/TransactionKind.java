package dev.tenon.tx;

import java.util.Locale;

/** The mode of a transaction. */
public enum TransactionKind {
    /** Steps with compensations (Garcia-Molina and Salem, "Sagas", SIGMOD 1987). */
    SAGA,
    /**
     * Try, confirm, cancel (Pardon and Pautasso, "Towards distributed atomic transactions over RESTful services",
     * 2011).
     */
    TCC,
    /** A message to one or several targets that is delivered if, and only if, a local transaction was committed. */
    MESSAGE,
    /** A notification that is tried for a limited time. */
    NOTIFY,
    /** Two-phase commit over databases (X/Open, "Distributed Transaction Processing: The XA Specification", 1991). */
    XA,
    /** Automatic undo of local transactions. */
    AT;

    /** As it stands in JSON and in a log: lower case. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * The kind that {@link #text} belongs to.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static TransactionKind of(String text) {
        for (TransactionKind kind : values()) {
            if (kind.text().equals(text)) {
                return kind;
            }
        }
        throw new IllegalArgumentException(
                "Unknown kind of transaction \"" + text + "\"; the kinds are saga, tcc, message, notify, xa and at");
    }
}
