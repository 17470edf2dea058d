package dev.tenon.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A statement with its parameters in order. In the resource files parameters have names ({@code :name}), as a reader
 * would want them; the driver gets question marks.
 *
 * @param id its file, for messages
 * @param text what the driver gets
 * @param parameters names, one for each question mark
 */
record Sql(String id, String text, List<String> parameters) {
    Sql {
        parameters = List.copyOf(parameters);
    }

    /** A statement without parameters, in which a colon is a colon; lines that begin with {@code --} are comments. */
    static Sql verbatim(String id, String source) {
        String bare = source.lines().filter(line -> !isComment(line)).collect(Collectors.joining("\n"));
        return new Sql(id, bare.strip(), List.of());
    }

    private static boolean isComment(String line) {
        return line.stripLeading().startsWith("--");
    }

    /** Reads the form with named parameters; lines that begin with {@code --} are comments. */
    static Sql parse(String id, String source) {
        StringBuilder bare = new StringBuilder();
        source.lines()
                .filter(line -> !isComment(line))
                .forEach(line -> bare.append(line).append('\n'));
        StringBuilder text = new StringBuilder();
        List<String> parameters = new ArrayList<>();
        int i = 0;
        while (i < bare.length()) {
            char c = bare.charAt(i);
            if (c == '\'') {
                int end = bare.indexOf("'", i + 1) + 1;
                text.append(bare, i, end);
                i = end;
            } else if (c == ':' && bare.charAt(i + 1) == ':') {
                text.append("::"); // a cast of PostgreSQL's
                i += 2;
            } else if (c == ':' && Character.isLetter(bare.charAt(i + 1))) {
                int end = i + 1;
                while (Character.isLetterOrDigit(bare.charAt(end))) {
                    end++;
                }
                parameters.add(bare.substring(i + 1, end));
                text.append('?');
                i = end;
            } else {
                text.append(c);
                i++;
            }
        }
        return new Sql(id, text.toString().strip(), parameters);
    }
}
