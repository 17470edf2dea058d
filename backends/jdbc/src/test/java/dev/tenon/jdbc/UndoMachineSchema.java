package dev.tenon.jdbc;

import dev.tenon.jdbc.AutoUndoBench.On;
import dev.tenon.jdbc.AutoUndoTypes.Type;
import dev.tenon.jdbc.UndoMachineTable.Column;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Random tables, and random statements of the grammar that automatic undo takes. */
final class UndoMachineSchema {
    private static final List<String> NUMBERS =
            IntStream.range(0, 9).mapToObj(String::valueOf).toList();
    private static final List<String> TEXTS = List.of("'a'", "'b'", "'it''s'", "'c d'", "'?'");

    private final UndoMachineDatabase database;
    private final Random random;
    private final String suffix;
    private final List<UndoMachineFeature> features;
    private final List<String> ddl = new ArrayList<>();
    private final List<UndoMachineTable> plain = new ArrayList<>();
    private final List<UndoMachineTable> tables = new ArrayList<>();

    /**
     * A statement.
     *
     * @param parameters numbers and texts
     * @param plain whether it is one that must be taken
     */
    record Sql(String text, List<Object> parameters, boolean plain) {
        @Override
        public String toString() {
            return text + (parameters.isEmpty() ? "" : " with " + parameters);
        }
    }

    UndoMachineSchema(UndoMachineDatabase database, Random random, String suffix, List<UndoMachineFeature> features) {
        this.database = database;
        this.random = random;
        this.suffix = suffix;
        this.features = features;
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            plain.add(table("t" + i + "_" + suffix));
        }
        tables.addAll(plain);
        for (UndoMachineFeature feature : features) {
            feature.ddl(database.on()).forEach(sql -> ddl.add(filled(sql)));
            for (UndoMachineTable table : feature.tables()) {
                tables.add(new UndoMachineTable(
                        filled(table.name()), filled(table.from()), table.columns(), table.keys(), table.seeds()));
            }
        }
    }

    private UndoMachineTable table(String name) {
        List<Column> columns =
                new ArrayList<>(List.of(column("id", "INT", NUMBERS), column("n", "INT", nullable(NUMBERS))));
        List<String> key = new ArrayList<>(List.of("id"));
        List<String> constraints = new ArrayList<>();
        List<Type> types = database.types();
        switch (random.nextInt(5)) {
            case 0 -> {
                columns.add(column("part", "INT", List.of("0", "1")));
                key.add("part");
            }
            case 1 -> {
                columns.add(column("code", "VARCHAR(10)", TEXTS));
                key.set(0, "code");
            }
            case 2 -> {
                List<Type> keys = types.stream()
                        .filter(t -> t.key() && !t.name().startsWith("TIMESTAMP"))
                        .toList();
                Type type = any(keys);
                columns.add(new Column("x", type.name(), List.of(type.one(), type.other()), null));
                key.add(0, "x");
            }
            default -> {}
        }
        if (random.nextBoolean()) {
            columns.add(column("u", "INT", nullable(NUMBERS)));
            constraints.add("UNIQUE (u)");
        }
        List<UndoMachineTable> parents =
                plain.stream().filter(t -> t.keys().equals(List.of("id"))).toList();
        // H2 lets two transactions at once leave a child without its parent, and then no undo can put that child back.
        if (!parents.isEmpty() && random.nextBoolean() && database.on() != On.H2) {
            columns.add(column("parent", "INT", nullable(NUMBERS)));
            constraints.add("FOREIGN KEY (parent) REFERENCES " + any(parents).name() + " (id)");
        }
        for (int i = random.nextInt(4); i > 0; i--) {
            Type type = any(types);
            columns.add(new Column("c" + i, type.name(), List.of(type.one(), type.other(), "NULL"), null));
        }
        constraints.add("PRIMARY KEY (" + String.join(", ", key) + ")");
        String defined = columns.stream()
                .map(c -> c.name() + " " + c.type() + (c.values().contains("NULL") ? " NULL" : " NOT NULL"))
                .collect(Collectors.joining(", "));
        ddl.add("CREATE TABLE " + name + " (" + defined + ", " + String.join(", ", constraints) + ")");
        return new UndoMachineTable(name, name, columns, key, List.of());
    }

    private static Column column(String name, String type, List<String> values) {
        return new Column(name, type, values, "?");
    }

    private static List<String> nullable(List<String> values) {
        List<String> all = new ArrayList<>(values);
        all.add("NULL");
        return all;
    }

    List<String> ddl() {
        return ddl;
    }

    Set<UndoMachineFeature> features() {
        return Set.copyOf(features);
    }

    /** The rows of all tables, by their tables and keys. */
    Map<String, String> rows() throws SQLException {
        String sql = tables.stream().map(t -> t.shown(database)).collect(Collectors.joining(" UNION ALL "));
        Map<String, String> rows = new TreeMap<>();
        for (String row : database.query(sql)) {
            int second = row.indexOf('|', row.indexOf('|') + 1);
            // The key's columns are among the row's: the text from the second bar on would do, but keys have bars of
            // their own.
            String[] parts = row.split("\\|", -1);
            UndoMachineTable table = tables.stream()
                    .filter(t -> t.name().equals(parts[0]))
                    .findFirst()
                    .orElseThrow();
            String key = table.keys().size() == 1 || second < 0
                    ? row.substring(0, second)
                    : String.join(
                            "|", List.of(parts).subList(0, 1 + table.keys().size()));
            rows.put(key, row.substring(key.length()));
        }
        return rows;
    }

    /** So that each table has some rows, and few. */
    void refill() throws SQLException {
        Map<String, Long> counts = rows().keySet().stream()
                .collect(Collectors.groupingBy(row -> row.substring(0, row.indexOf('|')), Collectors.counting()));
        for (UndoMachineTable table : tables) {
            long count = counts.getOrDefault(table.name(), 0L);
            for (int tries = 0; count < 3 && tries < 12; tries++) {
                String sql = table.seeds().isEmpty() ? insert(table, false).text() : filled(any(table.seeds()));
                try {
                    database.run(List.of(sql));
                    count++;
                } catch (SQLException e) {
                    if (e.getSQLState() == null || !e.getSQLState().startsWith("23")) {
                        throw new IllegalStateException(sql, e);
                    }
                }
            }
        }
    }

    Sql statement() {
        List<String> special = new ArrayList<>();
        features.forEach(feature -> special.addAll(feature.statements(database.on())));
        if (!special.isEmpty() && random.nextInt(5) < 3) {
            return new Sql(filled(any(special)), List.of(), false);
        }
        UndoMachineTable table = any(plain);
        return switch (random.nextInt(8)) {
            case 0, 1, 2 -> insert(table, true);
            case 3, 4 -> conditional("DELETE FROM " + table.name(), List.of(), table);
            default -> update(table);
        };
    }

    private Sql insert(UndoMachineTable table, boolean parameters) {
        List<String> values = new ArrayList<>();
        List<String> names = new ArrayList<>();
        List<Object> given = new ArrayList<>();
        for (Column column : table.columns()) {
            if (!column.values().contains("NULL") || random.nextInt(4) > 0) {
                names.add(column.name());
                values.add(value(column, given, parameters));
            }
        }
        String text = "INSERT INTO " + table.name() + " (" + String.join(", ", names) + ") VALUES ("
                + String.join(", ", values) + ")";
        return new Sql(text, given, true);
    }

    private Sql update(UndoMachineTable table) {
        List<Object> given = new ArrayList<>();
        List<String> sets = new ArrayList<>();
        for (Column column : table.columns()) {
            if (table.keys().contains(column.name()) || !sets.isEmpty() && random.nextBoolean()) {
                continue;
            }
            String set = switch (column.isNumber() && mayShift(column) ? random.nextInt(4) : 3) {
                case 0 -> column.name() + " + 1";
                case 1 -> column.values().contains("NULL") ? "CASE WHEN id > 4 THEN id ELSE n END" : "id + 1";
                default -> value(column, given, true);
            };
            sets.add(column.name() + " = " + set);
        }
        return conditional("UPDATE " + table.name() + " SET " + String.join(", ", sets), given, table);
    }

    /** Rows that take each other's unique values are a feature of their own. */
    private boolean mayShift(Column column) {
        return !column.name().equals("u") || features.contains(UndoMachineFeature.SHIFTS);
    }

    private Sql conditional(String head, List<Object> parameters, UndoMachineTable table) {
        List<Object> given = new ArrayList<>(parameters);
        String where = random.nextInt(12) == 0 ? "" : " WHERE " + condition(table, given, 2);
        return new Sql(head + where, given, true);
    }

    private String condition(UndoMachineTable table, List<Object> given, int depth) {
        Column column =
                any(table.columns().stream().filter(c -> c.place() != null).toList());
        String name = column.name();
        return switch (random.nextInt(depth > 0 ? 11 : 6)) {
            case 0, 1 -> name + " = " + value(column, given, true);
            case 2 -> "id IN (" + any(NUMBERS) + ", " + value(table.columns().get(0), given, true) + ")";
            case 3 -> any(table.columns()).name() + " IS " + any(List.of("", "NOT ")) + "NULL";
            case 4 ->
                "n BETWEEN " + any(NUMBERS) + " AND " + value(table.columns().get(0), given, true);
            case 5 -> name + any(List.of(" < ", " >= ", " <> ")) + value(column, given, true);
            case 6 -> "NOT (" + condition(table, given, depth - 1) + ")";
            case 7 -> {
                UndoMachineTable other = any(plain);
                if (other == table) {
                    yield "id + 1 > n";
                }
                yield "id IN (SELECT n FROM " + other.name() + " WHERE " + condition(other, given, 0) + ")";
            }
            case 8 -> "(" + condition(table, given, depth - 1) + " OR " + condition(table, given, depth - 1) + ")";
            default -> condition(table, given, depth - 1) + " AND " + condition(table, given, depth - 1);
        };
    }

    /** A literal, or a parameter. */
    private String value(Column column, List<Object> given, boolean parameters) {
        String literal = any(column.values());
        if (!parameters || column.place() == null || literal.equals("NULL") || random.nextBoolean()) {
            return literal;
        }
        if (column.isNumber()) {
            given.add(Integer.valueOf(literal));
        } else {
            given.add(literal.substring(1, literal.length() - 1).replace("''", "'"));
        }
        return column.place();
    }

    private String filled(String text) {
        String uuid = database.on() == On.POSTGRES
                ? "gen_random_uuid()"
                : database.on().isMySql() ? "UUID()" : "RANDOM_UUID()";
        String filled = text.replace("{s}", suffix)
                .replace("{t}", any(plain).name())
                .replace("{o}", any(plain).name())
                .replace("{r}", database.random())
                .replace("{uuid}", uuid);
        while (filled.contains("{i}")) {
            filled = filled.replaceFirst("\\{i}", any(NUMBERS));
        }
        return filled;
    }

    private <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }
}
