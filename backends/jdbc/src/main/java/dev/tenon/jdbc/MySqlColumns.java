package dev.tenon.jdbc;

import java.sql.Types;
import java.util.Locale;

/** How columns of MySQL are read and put back, and what its keys take for the same, as MariaDB's do. */
final class MySqlColumns {
    /** Round names whatever {@code sql_mode} says, of a session or of the one that a name was noted in. */
    static final String QUOTE = "`";

    /**
     * The weights by which the column's collation compares: {@code a}, {@code A} and {@code á} may be one key. One that
     * pads takes spaces at the end for nothing.
     */
    private static final String WEIGHTS =
            "HEX(WEIGHT_STRING(" + "CASE WHEN CONCAT({name}, ' ') = {name} THEN RTRIM({name}) ELSE {name} END))";

    /** Values in a JSON document whose types its text does not tell. */
    private static final String UNTOLD =
            "(JSON_TYPE(j.v) IN ('DECIMAL', 'DATE', 'TIME', 'DATETIME', 'BLOB', 'BIT', 'OPAQUE')"
                    + " OR JSON_TYPE(j.v) = 'UNSIGNED INTEGER' AND j.v <= 9223372036854775807)";

    /** Members of objects and elements of arrays, as no path leads to both. */
    private static final String JSON_LOST = "(SELECT EXISTS (SELECT 1 FROM JSON_TABLE(JSON_OBJECT('x', {name}),"
            + " '$**.*' COLUMNS (v JSON PATH '$')) j WHERE " + UNTOLD + ")"
            + " OR EXISTS (SELECT 1 FROM JSON_TABLE(JSON_ARRAY({name}),"
            + " '$**[*]' COLUMNS (v JSON PATH '$')) j WHERE " + UNTOLD + "))";

    private static final UndoColumn.Special JSON = new UndoColumn.Special(
            "",
            JSON_LOST,
            "(SELECT CASE WHEN CAST({name} AS CHAR) = p.tenon_value THEN {name} ELSE CAST(p.tenon_value AS JSON) END"
                    + " FROM (SELECT ? AS tenon_value) p)");

    private MySqlColumns() {}

    /** As on MariaDB, with numbers as the texts that the server makes of them, whatever the driver and its protocol. */
    static UndoColumn column(String name, int type, String typeName) {
        return switch (kind(typeName)) {
            case "JSON" ->
                UndoColumn.plain(name, Types.VARCHAR)
                        .readAs("CAST({name} AS CHAR)")
                        .with(JSON);
            case "FLOAT", "DOUBLE", "REAL" ->
                UndoColumn.plain(name, Types.DOUBLE).readAs("CAST(CAST({name} AS DOUBLE) AS CHAR)");
            // As MySQL calls a GEOMETRYCOLLECTION, and as one driver of two does.
            case "GEOMCOLLECTION" -> UndoColumn.plain(name, Types.VARBINARY);
            // MariaDB's driver knows no vectors, and the server none in a text.
            case "VECTOR" ->
                UndoColumn.plain(name, Types.VARCHAR).readAs("HEX({name})").writtenAs("UNHEX(?)");
            default -> MariaDbDialect.column(name, type, typeName);
        };
    }

    /** The same column, with what its values are to a key. */
    static UndoColumn keyed(UndoColumn column, String typeName) {
        return switch (kind(typeName)) {
            case "CHAR", "VARCHAR", "TINYTEXT", "TEXT", "MEDIUMTEXT", "LONGTEXT" ->
                column.with(new UndoColumn.Special(WEIGHTS, "", ""));
            default -> column;
        };
    }

    /** Dates that are none, and the member of an enum that is none, which a strict session refuses. */
    static boolean isLoose(String typeName) {
        return switch (kind(typeName)) {
            case "DATE", "DATETIME", "TIMESTAMP", "ENUM", "SET" -> true;
            default -> false;
        };
    }

    private static String kind(String typeName) {
        return typeName.split("[ (]")[0].toUpperCase(Locale.ROOT);
    }
}
