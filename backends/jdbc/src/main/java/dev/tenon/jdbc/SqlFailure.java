package dev.tenon.jdbc;

/** What a {@code SQLException} means for the call in which it was thrown. */
public enum SqlFailure {
    /** Another transaction was faster, and this statement had no effect: the call is run again from its start. */
    CONTENTION,
    /** The connection broke after the statement was sent: it may have had its effect. */
    BROKEN,
    /** The database refused for now, without effect: full, read-only, shutting down, out of time. */
    REFUSED,
    /** The statement can't succeed as it is: a table or a permission is missing. */
    WRONG
}
