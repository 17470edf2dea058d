package dev.tenon.jdbc;

/** What an {@code SQLException} means for the one who called. */
enum Failure {
    /** Somebody else was faster, and this statement had no effect: run the call again from its start. */
    CONTENTION,
    /** The line broke after the statement was sent: it may have had its effect. */
    BROKEN,
    /** The database refused for now, without effect: full, read-only, shutting down, out of time. */
    REFUSED,
    /** The statement can't succeed as it is: a table or a permission is missing. */
    WRONG
}
