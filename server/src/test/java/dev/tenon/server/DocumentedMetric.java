package dev.tenon.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A metric of the page, or what it says of one value of a label.
 *
 * @param name of the metric
 * @param label empty: the metric as a whole
 */
record DocumentedMetric(String name, String label, String value) {
    private static final Path PAGE = Path.of("..", "docs", "server", "operations.md");
    private static final Pattern ROW =
            Pattern.compile("\\| `((?:tenon|jvm|process|system)_[a-z_0-9]+)` \\|([^|]*)\\|(.*)\\|");
    private static final Pattern LABEL = Pattern.compile("`([a-z_]+)`");
    private static final Pattern WORD = Pattern.compile("`([a-zA-Z_.]+)`");

    DocumentedMetric(String name) {
        this(name, "", "");
    }

    /** All of the page. */
    static List<DocumentedMetric> all() throws IOException {
        List<DocumentedMetric> all = new ArrayList<>();
        List<String> quotas = List.of(); // named in the first row of theirs
        for (String line : Files.readAllLines(PAGE)) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                all.add(new DocumentedMetric(row.group(1)));
                List<String> labels = LABEL.matcher(row.group(2))
                        .results()
                        .map(found -> found.group(1))
                        .toList();
                for (String label : labels) {
                    List<String> values = values(label, labels, row.group(3));
                    if (label.equals("quota")) {
                        quotas = values.isEmpty() ? quotas : values;
                        values = quotas;
                    }
                    values.forEach(value -> all.add(new DocumentedMetric(row.group(1), label, value)));
                }
            }
        }
        return all;
    }

    /**
     * The values that a row promises: all words of a row about events or quotas, else what stands behind "`label`:".
     */
    private static List<String> values(String label, List<String> labels, String text) {
        int at = text.indexOf("`" + label + "`:");
        String about = "";
        if (label.equals("event") || label.equals("quota")) {
            about = text;
        } else if (at >= 0) {
            int end = text.indexOf(';', at);
            about = text.substring(at, end < 0 ? text.length() : end);
        }
        return WORD.matcher(about)
                .results()
                .map(found -> found.group(1))
                .filter(word -> !labels.contains(word))
                .distinct()
                .toList();
    }

    /** Whether a sample belongs to it. */
    boolean matches(String sample) {
        String metric = sample.replaceAll("\\{.*", "");
        return (metric.equals(name) || metric.equals(name + "_count"))
                && (label.isEmpty() || sample.matches(".*[{,]" + label + "=\"" + Pattern.quote(value) + "\"[,}].*"));
    }

    @Override
    public String toString() {
        return label.isEmpty() ? name : name + "{" + label + "=\"" + value + "\"}";
    }
}
