package dev.tenon.jdbc;

import java.sql.SQLFeatureNotSupportedException;
import java.sql.Types;

/**
 * A column of a table whose rows are put back: how the database is asked for a value as a text (or as bytes) from which
 * it can make the same value again, whoever asks, and how it is given that. Immutable.
 *
 * @param name as the database has it
 * @param type as what a value is given to the driver ({@link Types})
 * @param read the expression that is asked for, with the name in {@value #NAME}
 * @param mark what stands in a statement for a value that is given back
 * @param fixed whether no {@code UPDATE} may set it, as it is {@code GENERATED ALWAYS AS IDENTITY}
 * @param special what some columns of some databases need besides
 */
record UndoColumn(String name, int type, String read, String mark, boolean fixed, Special special) {
    private static final String NAME = "{name}";

    /**
     * What is asked for besides a value, or written otherwise; empty where it is not. With the name in {@value #NAME}.
     *
     * @param sameness an expression that is the same text for two values that are one to a unique key, such as
     *     {@code a} and {@code A}
     * @param lost an expression that is 1 if a value could not be made again from what is read of it
     * @param update what stands for a value in an {@code UPDATE}, where that is not the mark: it leaves a value alone
     *     that is as it was
     */
    record Special(String sameness, String lost, String update) {
        static final Special NONE = new Special("", "", "");
    }

    /** A column whose values the driver shows in full as texts, and takes as such. */
    static UndoColumn plain(String name, int type) {
        return new UndoColumn(name, type, NAME, "?", false, Special.NONE);
    }

    /**
     * A column that can't be put back.
     *
     * @throws SQLFeatureNotSupportedException always
     */
    static UndoColumn refuse(String name, String type) throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("Column " + name + " is of type " + type
                + ": automatic undo can't put its values back, and takes no table with such a column");
    }

    /** The same column, read by another expression. */
    UndoColumn readAs(String expression) {
        return new UndoColumn(name, type, expression, mark, fixed, special);
    }

    /** The same column, given back by another expression. */
    UndoColumn writtenAs(String expression) {
        return new UndoColumn(name, type, read, expression, fixed, special);
    }

    /** The same column, whose values are given back, and compared, as of another type. */
    UndoColumn castTo(String otherType) {
        return writtenAs("CAST(? AS " + otherType + ")");
    }

    /** The same column, which no {@code UPDATE} may set. */
    UndoColumn asFixed() {
        return new UndoColumn(name, type, read, mark, true, special);
    }

    /** The same column, of which this is asked besides. */
    UndoColumn with(Special other) {
        return new UndoColumn(name, type, read, mark, fixed, other);
    }

    /** What tells whether two values are one to a unique key; empty if the values themselves do. */
    String sameness(String quote) {
        return special.sameness().replace(NAME, quoted(quote));
    }

    /** What tells whether a value can't be made again; empty if every one can. */
    String lost(String quote) {
        return special.lost().replace(NAME, quoted(quote));
    }

    /** What stands for a value in an {@code UPDATE}. */
    String updateMark(String quote) {
        return special.update().isEmpty() ? mark : special.update().replace(NAME, quoted(quote));
    }

    /** What a query asks for. */
    String read(String quote) {
        return read.replace(NAME, quoted(quote));
    }

    /** What it is compared by with a value that is given back: of the same type as that. */
    String compared(String quote) {
        return mark.startsWith("CAST(? AS ") ? mark.replace("?", quoted(quote)) : quoted(quote);
    }

    /** Its name in a statement. */
    String quoted(String quote) {
        return quote + name + quote;
    }

    /** Whether its values are bytes. */
    boolean isBinary() {
        return isBinary(type);
    }

    /** Whether the values of a type are bytes. */
    static boolean isBinary(int type) {
        return type == Types.BINARY || type == Types.VARBINARY || type == Types.LONGVARBINARY || type == Types.BLOB;
    }
}
