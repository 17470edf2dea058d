package dev.tenon.jdbc;

import dev.tenon.lock.spi.StoreTraits;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Properties;

/** PostgreSQL 12 or newer: upserts with {@code RETURNING}, and a bell of {@code LISTEN} and {@code NOTIFY}. */
final class PostgresDialect extends Dialect {
    /**
     * The server's start and the table; with the transaction that has written a row, which a restored row does not
     * have.
     */
    private static final String STARTED =
            "CAST(CAST(EXTRACT(EPOCH FROM pg_postmaster_start_time()) * 1000000 AS bigint) AS text)"
                    + " || ' ' || CAST(CAST('tenon_worker_group' AS regclass) AS oid) || ' '";

    static final PostgresDialect POSTGRESQL = new PostgresDialect();

    private PostgresDialect() {
        super(
                "postgresql",
                "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS bigint)",
                new Incarnation(
                        STARTED + " || COALESCE(CAST(g.xmin AS text), '')",
                        STARTED + " || CAST(txid_current() % 4294967296 AS text)"));
    }

    @Override
    public String name() {
        return "PostgreSQL";
    }

    @Override
    Properties defaults() {
        return properties(
                "connectTimeout", "5",
                "socketTimeout", "10",
                "tcpKeepAlive", "true",
                "ApplicationName", "tenon",
                "assumeMinServerVersion", "12");
    }

    @Override
    StoreTraits.Push push() {
        return StoreTraits.Push.PUSHED;
    }

    @Override
    Bell bell(BellContext context) {
        return PostgresBell.canListen() ? new PostgresBell(this, context) : new NoBell();
    }

    /**
     * The server makes the text, as the driver shows some values in another way from a statement's fifth run on; and
     * the server finds out what a text is for that comes back, as the driver's types know no enum, no array and no
     * JSON.
     */
    @Override
    UndoColumn undoColumn(String name, int type, String typeName) {
        if (UndoColumn.isBinary(type)) {
            return UndoColumn.plain(name, type);
        }
        UndoColumn column = UndoColumn.plain(name, Types.OTHER);
        if (typeName.equals("timestamptz")) { // its text would depend on the session's time zone
            return column.readAs("CAST({name} AT TIME ZONE 'UTC' AS text)")
                    .writtenAs("(CAST(? AS timestamp) AT TIME ZONE 'UTC')");
        }
        UndoColumn text = column.readAs("CAST({name} AS text)");
        if (type != Types.DISTINCT && type != Types.STRUCT) {
            return text;
        }
        String quoted = typeName.startsWith("\"") ? typeName : '"' + typeName + '"';
        return text.writtenAs("CAST(? AS " + quoted + ")"); // a domain, or a row: no key could be compared otherwise
    }

    @Override
    public SqlFailure failure(SQLException e) {
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        return switch (state) {
            case "55P03" -> SqlFailure.CONTENTION; // lock not available
            case "22012" -> SqlFailure.CONTENTION; // division by zero: how lock-acquire-all.sql takes itself back
            case "25006" -> SqlFailure.REFUSED; // read-only: a standby, or a primary on its way to being one
            case "57P01", "57P02" -> SqlFailure.BROKEN; // the server ended this session
            // A file can't be written, or the server went down over that: a commit may be in its log, or not.
            case "58030", "XX000", "XX001", "XX002" -> SqlFailure.BROKEN;
            default -> super.failure(e);
        };
    }

    @Override
    boolean readsOnlyInSavepoints() {
        return true;
    }
}
