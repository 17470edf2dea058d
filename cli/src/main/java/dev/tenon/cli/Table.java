package dev.tenon.cli;

import dev.tenon.Printable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.Help.Ansi;

/** Rows in columns, for people. */
final class Table {
    private final List<List<String>> rows = new ArrayList<>();

    Table(String... heads) {
        rows.add(List.of(heads));
    }

    void row(String... cells) {
        rows.add(Arrays.stream(cells).map(Printable::of).toList()); // before they are measured
    }

    void print(Lines out) {
        Ansi ansi = Terminals.ofThisProcess().outAnsi();
        int columns = rows.get(0).size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < columns; i++) {
                line.append(row.get(i));
                if (i < columns - 1) {
                    line.append(" ".repeat(widths[i] - row.get(i).length() + 2));
                }
            }
            if (row == rows.get(0)) {
                out.println(ansi, "bold", line.toString(), "");
            } else {
                out.println(line.toString());
            }
        }
        out.flush();
    }
}
