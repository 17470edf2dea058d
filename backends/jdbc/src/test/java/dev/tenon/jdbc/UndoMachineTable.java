package dev.tenon.jdbc;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A table of {@link UndoMachine}.
 *
 * @param from what a query that shows it reads
 * @param columns all that are shown
 * @param keys the primary key
 * @param seeds statements that fill it, with places for {@link UndoMachineSchema#filled}; none if rows are made of the
 *     columns' values
 */
record UndoMachineTable(String name, String from, List<Column> columns, List<String> keys, List<String> seeds) {
    /**
     * A column.
     *
     * @param values literals for it, a null among them if it takes that
     * @param place how a parameter is written for it; none if it is given literals only
     */
    record Column(
            String name,
            String type,
            List<String> values,
            @Nullable String place) {
        boolean isNumber() {
            return type.equals("INT");
        }
    }

    UndoMachineTable {
        columns = List.copyOf(columns);
        keys = List.copyOf(keys);
        seeds = List.copyOf(seeds);
    }

    /** A query for its name, its key and its row, each as a text. */
    String shown(UndoMachineDatabase database) {
        List<String> key = columns.stream()
                .filter(c -> keys.contains(c.name()))
                .map(c -> database.shown(c.name(), c.type()))
                .toList();
        List<String> all =
                columns.stream().map(c -> database.shown(c.name(), c.type())).toList();
        return "SELECT '" + name + "', " + database.joined(key) + ", " + database.joined(all) + " FROM " + from;
    }
}
