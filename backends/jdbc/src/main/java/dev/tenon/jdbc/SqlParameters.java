package dev.tenon.jdbc;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The parameters of a statement. Immutable.
 *
 * @param required those that its text has in every dialect
 * @param optional those that it has in some
 */
record SqlParameters(List<String> required, List<String> optional) {
    private static final Pattern NUMBERED = Pattern.compile("([a-z]+)0-(\\d+)");

    SqlParameters {
        required = List.copyOf(required);
        optional = List.copyOf(optional);
    }

    /**
     * Reads names between spaces: {@code n0-99} is a hundred of them, and what ends with a question mark is optional.
     */
    static SqlParameters of(String text) {
        List<String> required = new ArrayList<>();
        List<String> optional = new ArrayList<>();
        for (String word : text.isEmpty() ? new String[0] : text.split(" ")) {
            boolean perhaps = word.endsWith("?");
            names(perhaps ? word.substring(0, word.length() - 1) : word).forEach((perhaps ? optional : required)::add);
        }
        return new SqlParameters(required, optional);
    }

    private static List<String> names(String word) {
        Matcher numbered = NUMBERED.matcher(word);
        if (!numbered.matches()) {
            return List.of(word);
        }
        List<String> names = new ArrayList<>();
        for (int i = 0; i <= Integer.parseInt(numbered.group(2)); i++) {
            names.add(numbered.group(1) + i);
        }
        return names;
    }

    /** What is wrong with the parameters of a text; empty if nothing is. */
    List<String> problems(Sql sql) {
        List<String> problems = new ArrayList<>();
        Set<String> used = new LinkedHashSet<>(sql.parameters());
        for (String name : required) {
            if (!used.contains(name)) {
                problems.add(sql.id() + " lacks its parameter :" + name);
            }
        }
        for (String name : used) {
            if (!required.contains(name) && !optional.contains(name)) {
                problems.add(sql.id() + " has an unknown parameter :" + name);
            }
        }
        return problems;
    }
}
