package dev.tenon.jdbc;

import java.util.Locale;

/**
 * Statements that only Tenon's own dialects are asked for: they wake waiters, find stored routines, and read columns
 * for automatic undo.
 */
enum BuiltInStatement {
    /** Columns that an undo does not simply set, with {@code computed}, 1 or 0. */
    UNDO_COLUMNS("schema table"),
    /** Columns that are domains over an enum, with the enum. */
    UNDO_ENUMS("schema table"),
    /** Tables that inherit from a table. */
    UNDO_HEIRS("schema table"),
    /** The stored routines that this user may know of. */
    ROUTINES(""),
    /** Fails if this user may not call a stored routine. */
    ROUTINE_TEST("channel"),
    /** Begins the bell of a process, or refreshes it. */
    BELL_OPEN("channel"),
    /** Names a connection of the bell. Returns 1 if it could. */
    BELL_NAME("kind channel"),
    /** Keeps the bell's row locked until a release breaks this statement, five seconds at most. */
    BELL_KEEP("channel"),
    /** Waits for the bell, then returns the locks that were handed to this process. */
    BELL_LISTEN("channel told"),
    /** Wakes the process of a channel. */
    BELL_RING("channel message?"),
    /** Rings for this process itself. */
    BELL_TEST("channel"),
    /** Channels of processes that are gone. */
    BELL_STALE(""),
    /** Deletes the bell of a process that is gone. */
    BELL_DELETE("channel");

    private final SqlParameters parameters;

    BuiltInStatement(String parameters) {
        this.parameters = SqlParameters.of(parameters);
    }

    String file() {
        return id() + ".sql";
    }

    String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    SqlParameters allParameters() {
        return parameters;
    }
}
