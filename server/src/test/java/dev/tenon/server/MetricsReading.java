package dev.tenon.server;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@code /metrics} said at one moment.
 *
 * @param samples by their names with their labels, as they stood there
 */
record MetricsReading(Map<String, Double> samples) {
    private static final Pattern SAMPLE = Pattern.compile("([a-z_0-9]+)(?:\\{(.*)})? (\\S+)");

    static MetricsReading of(TestClient client) {
        Map<String, Double> samples = new TreeMap<>();
        client.fetch("/metrics")
                .text()
                .lines()
                .filter(line -> !line.startsWith("#"))
                .forEach(line -> {
                    Matcher sample = SAMPLE.matcher(line);
                    if (!sample.matches()) {
                        throw new AssertionError("Not a sample: " + line);
                    }
                    String labels = sample.group(2) == null ? "" : "{" + sample.group(2) + "}";
                    samples.put(sample.group(1) + labels, Double.parseDouble(sample.group(3)));
                });
        return new MetricsReading(samples);
    }

    /**
     * The sum of a metric's samples, of a histogram the number of its events; 0 where there is none, or it is not
     * known.
     */
    double of(DocumentedMetric metric) {
        return samples.entrySet().stream()
                .filter(sample -> metric.matches(sample.getKey()))
                .mapToDouble(Map.Entry::getValue)
                .filter(value -> !Double.isNaN(value))
                .sum();
    }
}
