package dev.tenon.jdbc;

import java.util.List;

/** Types of columns, with two values each. */
final class AutoUndoTypes {
    /** Which MySQL shows in its own ways only. */
    static final Type VECTOR = column("VECTOR(3)", "STRING_TO_VECTOR('[1,0.1,-3e20]')", "STRING_TO_VECTOR('[0,0,0]')");

    private AutoUndoTypes() {}

    /**
     * A type.
     *
     * @param key whether a primary key can be of it, and a new row is found by a literal of it
     */
    record Type(String name, String one, String other, boolean key) {}

    static List<Type> ofPostgres() {
        return List.of(
                key("mood", "'sad'", "'so so'"),
                column("weekday", "'sad'", "'so so'"),
                key("uuid", "'123e4567-e89b-12d3-a456-426655440000'", "'00000000-0000-0000-0000-000000000001'"),
                key("inet", "'10.0.0.1/8'", "'::1'"),
                key("citext", "'A'", "'b'"),
                key("char(5)", "'ab'", "' c'"),
                key("\"char\"", "'a'", "'b'"),
                key("varchar(20)", "'it''s \\ ü'", "''"),
                key("boolean", "true", "false"),
                key("numeric", "0.0000001", "'NaN'"),
                key("real", "0.1", "'Infinity'"),
                key("double precision", "1", "'1e20'"),
                key("money", "'12.34'", "'-0.01'"),
                key("oid", "'4294967295'", "'1'"),
                key("bit(3)", "'101'", "'010'"),
                key("bit varying(5)", "'101'", "''"),
                key("date", "'infinity'", "'0044-03-15 BC'"),
                key("time(3)", "'24:00'", "'03:04:05.678'"),
                key("timetz", "'03:04:05+02'", "'03:04:05-11'"),
                key("timestamp", "'2026-03-29 02:30:00.000001'", "'infinity'"),
                key("timestamptz", "'2026-01-02 03:04:05.000001+09'", "'-infinity'"),
                key("interval", "'1 year -2 days 03:04:05.6'", "'0'"),
                key("int4range", "'[1,5)'", "'empty'"),
                key("int[]", "'{1,NULL,3}'", "'{}'"),
                key("text[]", "'{\"a,b\",\"\\\"\"}'", "'{{a},{b}}'"),
                key("float8[]", "'{1,1e20}'", "'{NaN}'"),
                key("mood[]", "'{sad,\"so so\"}'", "'{}'"),
                column("pair", "'(1,\"a b\")'", "'(,)'"),
                key("jsonb", "'{\"a\": [1, 2.0]}'", "'null'"),
                key("tsvector", "'''a'':1'", "'b'"),
                key("macaddr", "'08:00:2b:01:02:03'", "'00:00:00:00:00:00'"),
                key("pg_lsn", "'16/B374D848'", "'0/0'"),
                column("json", "'{\"a\" :  1, \"a\": 2}'", "'[]'"),
                column("xml", "'<a b=\"c\"/>'", "'<d>e</d>'"),
                column("hstore", "'a=>1, b=>NULL'", "''"),
                column("point", "'(0.1,2)'", "'(1e20,-0)'"),
                column("polygon", "'((0,0),(1,1),(1,0))'", "'((0,0),(2,2))'"),
                column("bytea", "'\\x00ff7c'", "''"),
                column("token", "'\\x00ff7c'", "''"));
    }

    static List<Type> ofMariaDb() {
        return List.of(
                key("ENUM('a', 'b c')", "'a'", "'b c'"),
                key("SET('x', 'y')", "'x,y'", "''"),
                key("BIGINT UNSIGNED", "18446744073709551615", "0"),
                key("TINYINT UNSIGNED", "200", "1"),
                key("TINYINT(1)", "5", "-128"),
                key("BOOLEAN", "1", "0"),
                key("BIT(1)", "1", "0"),
                key("BIT(8)", "133", "0"),
                key("BIT(64)", "18446744073709551615", "1"),
                key("YEAR", "2026", "1999"),
                column("FLOAT", "16777217", "0.1234567"),
                key("DOUBLE", "0.1e100", "0.30000000000000004"),
                key("DECIMAL(30,10)", "12345678901234567890.0123456789", "-0.5"),
                key("DATE", "'2026-03-29'", "'1000-01-01'"),
                key("TIME(6)", "'-100:00:00.500001'", "'838:59:59'"),
                key("DATETIME(6)", "'2026-03-29 02:30:00.000001'", "'9999-12-31 23:59:59.999999'"),
                key("TIMESTAMP(3)", "'2026-03-29 02:30:00.120'", "'1970-01-02 00:00:01'"),
                key("CHAR(5)", "'ab'", "''"),
                key("VARCHAR(20)", "'it''s ü '", "''"),
                key("UUID", "'123e4567-e89b-12d3-a456-426655440000'", "'00000000-0000-0000-0000-000000000001'"),
                key("INET6", "'::1'", "'::ffff:10.0.0.1'"),
                column("JSON", "'{\"a\" : [1, 2.0]}'", "'null'"),
                column("TEXT", "'te''xt'", "''"),
                column("LONGTEXT", "'long'", "''"),
                column("BINARY(4)", "x'00ff'", "x'41'"),
                column("TINYBLOB", "x'00ff7c'", "x'00'"),
                column("LONGBLOB", "x'00ff7c'", "x'00'"),
                column("POINT", "ST_PointFromText('POINT(1 2)', 4326)", "ST_PointFromText('POINT(3 4)')"),
                column("GEOMETRY", "ST_GeomFromText('LINESTRING(0 0,1 1)')", "ST_PointFromText('POINT(3 4)')"));
    }

    static List<Type> ofMySql() {
        return List.of(
                key("ENUM('a', 'b c')", "'a'", "'b c'"),
                key("SET('x', 'y')", "'x,y'", "''"),
                key("BIGINT UNSIGNED", "18446744073709551615", "0"),
                key("TINYINT UNSIGNED", "200", "1"),
                key("TINYINT(1)", "5", "-128"),
                key("BOOLEAN", "1", "0"),
                key("MEDIUMINT", "-8388608", "7"),
                key("BIT(1)", "1", "0"),
                key("BIT(8)", "133", "0"),
                key("BIT(64)", "18446744073709551615", "1"),
                key("YEAR", "2026", "1999"),
                column("FLOAT", "16777217", "0.1234567"),
                key("DOUBLE", "0.1e100", "0.30000000000000004"),
                key("DECIMAL(65,30)", "12345678901234567890123456789012345.012345678901234567890123456789", "-0.5"),
                key("DATE", "'2026-03-29'", "'1000-01-01'"),
                key("TIME(6)", "'-100:00:00.500001'", "'838:59:59'"),
                key("DATETIME(6)", "'2026-03-29 02:30:00.000001'", "'9999-12-31 23:59:59.999999'"),
                key("TIMESTAMP(3)", "'2026-03-29 03:30:00.120'", "'1970-01-02 00:00:01'"),
                key("CHAR(5)", "'ab'", "''"),
                key("VARCHAR(20)", "'it''s ü '", "''"),
                column("VARCHAR(20) CHARACTER SET latin1", "'ü'", "''"),
                key("VARBINARY(5)", "x'00ff20'", "x'41'"),
                key("BINARY(4)", "x'00ff0020'", "x'41000000'"),
                column("BINARY(5)", "x'00ff'", "x'41'"),
                column("JSON", "'{\"b\" : [1, 2.0, 1e3], \"a\": \"ü\"}'", "'null'"),
                column("TEXT", "'te''xt'", "''"),
                column("LONGTEXT", "'long'", "''"),
                column("TINYBLOB", "x'00ff7c'", "x'00'"),
                column("LONGBLOB", "x'00ff7c'", "x'00'"),
                column("POINT", "ST_PointFromText('POINT(1 2)', 4326)", "ST_PointFromText('POINT(3 4)')"),
                column("GEOMETRY", "ST_GeomFromText('LINESTRING(0 0,1 1)')", "ST_PointFromText('POINT(3 4)')"),
                column(
                        "GEOMETRYCOLLECTION",
                        "ST_GeomFromText('GEOMETRYCOLLECTION(POINT(1 1),LINESTRING(0 0,1 1))')",
                        "ST_GeomFromText('GEOMETRYCOLLECTION EMPTY')"));
    }

    static List<Type> ofH2() {
        return List.of(
                key("ENUM('a', 'b c')", "'a'", "'b c'"),
                key("NUMERIC(30, 10)", "12345678901234567890.0123456789", "-0.5"),
                key("DECFLOAT", "1E-30", "0.5"),
                key("REAL", "0.1", "16777216"),
                key("DOUBLE PRECISION", "0.30000000000000004", "1E20"),
                key("BOOLEAN", "TRUE", "FALSE"),
                key("CHAR(5)", "'ab'", "'c'"),
                column("UUID", "'123e4567-e89b-12d3-a456-426655440000'", "'00000000-0000-0000-0000-000000000001'"),
                column("JSON", "JSON '{\"a\": [1, 2.0]}'", "JSON 'null'"),
                column("INTERVAL DAY TO SECOND", "'INTERVAL ''1 02:03:04.5'' DAY TO SECOND'", "'INTERVAL ''-1'' DAY'"),
                column("GEOMETRY", "'POINT (1 2)'", "'LINESTRING (0 0, 1 1)'"),
                column("DATE", "DATE '2026-03-29'", "DATE '0001-01-01'"),
                column("TIME(9)", "TIME '23:59:59.123456789'", "TIME '00:00:00'"),
                column("TIMESTAMP(9)", "TIMESTAMP '2026-03-29 02:30:00.000000001'", "TIMESTAMP '0001-01-01 00:00:00'"),
                column(
                        "TIMESTAMP(9) WITH TIME ZONE",
                        "TIMESTAMP WITH TIME ZONE '2026-03-29 02:30:00.000000001+09'",
                        "TIMESTAMP WITH TIME ZONE '0001-01-01 00:00:00-01:30'"),
                column("TIME WITH TIME ZONE", "TIME WITH TIME ZONE '01:02:03+04'", "TIME WITH TIME ZONE '23:59:59-11'"),
                column("CLOB", "'it''s'", "''"),
                column("BLOB", "X'00ff'", "X''"),
                column("VARBINARY(10)", "X'00ff'", "X''"),
                column("BINARY(2)", "X'00ff'", "X'4142'"));
    }

    private static Type key(String name, String one, String other) {
        return new Type(name, one, other, true);
    }

    private static Type column(String name, String one, String other) {
        return new Type(name, one, other, false);
    }
}
