package dev.tenon.tx.global;

/**
 * What becomes of a global transaction that is there when a scope begins, and what if there is none; as Spring's kinds
 * of these names.
 */
public enum GlobalPropagation {
    /** Takes part in the one that is there; else begins one. */
    REQUIRED,
    /** Begins one. The one that is there rests until this one has ended, and knows nothing of it. */
    REQUIRES_NEW,
    /** Takes part in the one that is there; else runs without. */
    SUPPORTS,
    /** Runs without. The one that is there rests. */
    NOT_SUPPORTED,
    /** Takes part in the one that is there; refused if there is none. */
    MANDATORY,
    /** Refused if there is one. */
    NEVER
}
