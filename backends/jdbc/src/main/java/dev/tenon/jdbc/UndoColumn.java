package dev.tenon.jdbc;

import java.sql.SQLFeatureNotSupportedException;
import java.sql.Types;

/**
 * A column of a table whose rows are put back: how the database is asked for a value as a text (or as bytes) from which it can make
 * the same value again, whoever asks, and how it is given that. Immutable.
 *
 * @param name as the database has it
 * @param type as what a value is given to the driver ({@link Types})
 * @param read the expression that is asked for, with the name in {@value #NAME}
 * @param mark what stands in a statement for a value that is given back
 * @param fixed whether no {@code UPDATE} may set it, as it is {@code GENERATED ALWAYS AS IDENTITY}
 */
record UndoColumn(String name, int type, String read, String mark, boolean fixed) {
    private static final String NAME = "{name}";

    /** A column whose values the driver shows in full as texts, and takes as such. */
    static UndoColumn plain(String name, int type) {
        return new UndoColumn(name, type, NAME, "?", false);
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
        return new UndoColumn(name, type, expression, mark, fixed);
    }

    /** The same column, given back by another expression. */
    UndoColumn writtenAs(String expression) {
        return new UndoColumn(name, type, read, expression, fixed);
    }

    /** The same column, whose values are given back, and compared, as of another type. */
    UndoColumn castTo(String otherType) {
        return writtenAs("CAST(? AS " + otherType + ")");
    }

    /** The same column, which no {@code UPDATE} may set. */
    UndoColumn asFixed() {
        return new UndoColumn(name, type, read, mark, true);
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
