package dev.tenon.cli;

import java.time.Duration;
import java.util.Locale;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.HistogramIterationValue;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What was measured.
 *
 * @param clients that called at the same time
 * @param took from the first call to the last answer
 * @param units what all calls got together
 * @param failed calls that were refused, or not answered
 * @param micros how long each of the others took
 */
record BenchResult(int clients, Duration took, long units, long failed, AbstractHistogram micros) {
    private static final double MICROS_PER_MILLI = 1e3;
    private static final long[] STEPS = {100, 200, 500};
    private static final int BAR = 40;

    private double perSecond(long count) {
        return count / Math.max(took.toNanos() / 1e9, 1e-9);
    }

    private double millis(double percentile) {
        return micros.getValueAtPercentile(percentile) / MICROS_PER_MILLI;
    }

    /** As JSON; {@code docs/cli.md} says what the fields are. */
    ObjectNode json(String what, String name) {
        ObjectNode json = new JsonMapper().createObjectNode();
        json.put("what", what);
        json.put("name", name);
        json.put("clients", clients);
        json.put("seconds", took.toMillis() / MICROS_PER_MILLI);
        json.put("calls", micros.getTotalCount());
        json.put("failed", failed);
        json.put("units", units);
        json.put("callsPerSecond", Math.round(perSecond(micros.getTotalCount())));
        json.put("unitsPerSecond", Math.round(perSecond(units)));
        ObjectNode latency = json.putObject("millis");
        latency.put("p50", millis(50));
        latency.put("p99", millis(99));
        latency.put("p999", millis(99.9));
        latency.put("max", micros.getMaxValue() / MICROS_PER_MILLI);
        ArrayNode bars = json.putArray("histogram");
        buckets((from, to, count) -> {
            ObjectNode bar = bars.addObject();
            bar.put("fromMillis", from / MICROS_PER_MILLI);
            bar.put("toMillis", to / MICROS_PER_MILLI);
            bar.put("calls", count);
        });
        return json;
    }

    /**
     * For people.
     *
     * @param unit what a call gets, in the plural
     */
    void print(Lines out, String unit) {
        out.println(String.format(
                Locale.ROOT,
                "%d clients, %.1f s: %,d calls, %,.0f a second; %,d %s, %,.0f a second; %,d failed",
                clients,
                took.toNanos() / 1e9,
                micros.getTotalCount(),
                perSecond(micros.getTotalCount()),
                units,
                unit,
                perSecond(units),
                failed));
        out.println(String.format(
                Locale.ROOT,
                "a call: p50 %.2f ms, p99 %.2f ms, p99.9 %.2f ms, max %.2f ms",
                millis(50),
                millis(99),
                millis(99.9),
                micros.getMaxValue() / MICROS_PER_MILLI));
        out.println();
        long[] most = {1};
        buckets((from, to, count) -> most[0] = Math.max(most[0], count));
        buckets((from, to, count) -> out.println(String.format(
                Locale.ROOT, "up to %8.1f ms %,11d %s", to / MICROS_PER_MILLI, count, "#".repeat((int)
                                Math.ceil((double) count * BAR / most[0])))));
        out.flush();
    }

    private interface Bucket {
        void visit(long fromMicros, long toMicros, long count);
    }

    /** From the shortest call to the longest: up to 0.1, 0.2, 0.5, 1, 2, 5 ms and so on. */
    private void buckets(Bucket visitor) {
        int step = 0;
        long count = 0;
        boolean begun = false;
        for (HistogramIterationValue value : micros.recordedValues()) {
            while (value.getValueIteratedTo() >= bound(step)) {
                if (begun) {
                    visitor.visit(bound(step - 1), bound(step), count);
                }
                count = 0;
                step++;
            }
            begun = true;
            count += value.getCountAtValueIteratedTo();
        }
        if (begun) {
            visitor.visit(bound(step - 1), bound(step), count);
        }
    }

    private static long bound(int step) {
        return step < 0 ? 0 : STEPS[step % STEPS.length] * (long) Math.pow(10, step / STEPS.length);
    }
}
