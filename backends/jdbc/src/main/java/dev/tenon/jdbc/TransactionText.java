package dev.tenon.jdbc;

import dev.tenon.tx.Operation;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What a row of a branch keeps as text: one item a line, a line break within it as {@code \n}, a backslash as
 * {@code \\}.
 */
final class TransactionText {
    private TransactionText() {}

    static String lines(List<String> items) {
        return items.stream()
                .map(item -> item.replace("\\", "\\\\").replace("\n", "\\n"))
                .collect(Collectors.joining("\n"));
    }

    static List<String> items(String lines) {
        List<String> items = new ArrayList<>();
        if (!lines.isEmpty()) {
            for (String line : lines.split("\n", -1)) {
                items.add(item(line));
            }
        }
        return items;
    }

    /** Each operation with whom it is for. */
    static String targets(Map<Operation, String> targets) {
        return lines(targets.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(e -> e.getKey().text() + " " + e.getValue())
                .toList());
    }

    static Map<Operation, String> targets(String lines) {
        Map<Operation, String> targets = new EnumMap<>(Operation.class);
        for (String item : items(lines)) {
            int space = item.indexOf(' ');
            targets.put(Operation.of(item.substring(0, space)), item.substring(space + 1));
        }
        return targets;
    }

    /** Text as every database can keep it: PostgreSQL has no character of the code 0. */
    static String storable(String text) {
        return text.replace('\0', '\uFFFD');
    }

    private static String item(String line) {
        if (line.indexOf('\\') < 0) {
            return line;
        }
        StringBuilder item = new StringBuilder();
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '\\') {
                i++;
                item.append(line.charAt(i) == 'n' ? '\n' : line.charAt(i));
            } else {
                item.append(c);
            }
        }
        return item.toString();
    }
}
