package dev.tenon.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs the JMH benchmarks of IDs: each round runs every one of them once, in a JVM of its own, so that whatever else
 * the machine does falls on all of them. The median of the rounds counts.
 */
final class IdRates {
    static final String TWITTER = "Snowflake, Twitter's layout (cap: 4.096 million/s)";
    static final String WIDE = "Snowflake, wide sequence (20 bits: no cap)";
    static final String WIDE_BATCH = "Snowflake, wide sequence, 1024 at a time";
    static final String STRIPED = "Striped Snowflake beside segments from memory";
    static final String SEGMENT = "Segment, ranges from memory";
    static final String UUID = "UUID version 7, in order";

    /** The one contender of its group that is not of version 7 and has no order. */
    static final String JDK_VERSION_4 = "JDK, version 4";

    /** Which benchmarks, and what the report calls them, by class. */
    static final Map<Class<?>, String> GROUPS = groups();

    private static final Map<String, String> TITLES = Map.ofEntries(
            Map.entry("tenon", "Tenon"),
            Map.entry("tenonFixed", "Tenon, always 1000"),
            Map.entry("tenonFill", "Tenon, `fill(long[1024])`"),
            Map.entry("cosIdLoop", "CosId, loop of 1024"),
            Map.entry("cosId", "CosId"),
            Map.entry("hutool", "Hutool"),
            Map.entry("leafStyle", "Leaf-style"),
            Map.entry("tsidCreator", "tsid-creator"),
            Map.entry("yitter", "yitter, 15 bits"),
            Map.entry("jug", "java-uuid-generator"),
            Map.entry("uuidCreator", "uuid-creator"),
            Map.entry("uuidCreatorFast", "uuid-creator, fast random"),
            Map.entry("jdkVersion4", JDK_VERSION_4));
    private static final String BYTES = "gc.alloc.rate.norm";

    private static final int WARM_UPS = 2;
    private static final int RUNS = 4;

    private final int forks;
    private final TimeValue runTime;

    IdRates(int forks, Duration runTime) {
        this.forks = forks;
        this.runTime = TimeValue.milliseconds(runTime.toMillis());
    }

    /**
     * What one library did.
     *
     * @param group what was measured
     * @param title of the library
     * @param threads how many threads shared one generator
     * @param perSecond IDs a second, all threads together
     * @param cpuNanos processor time of the process per ID
     * @param bytes allocated per ID
     */
    record Score(String group, String title, int threads, double perSecond, double cpuNanos, double bytes) {
        boolean ours() {
            return title.startsWith("Tenon");
        }
    }

    List<Score> run(List<Integer> threadCounts, int rounds) throws RunnerException {
        Map<String, List<Score>> rounded = new LinkedHashMap<>();
        for (int round = 0; round < rounds; round++) {
            for (Map.Entry<Class<?>, String> group : GROUPS.entrySet()) {
                for (int threads : threadCounts) {
                    for (Score score : once(group.getKey(), group.getValue(), threads)) {
                        String key = score.group() + score.title() + score.threads();
                        rounded.computeIfAbsent(key, first -> new ArrayList<>()).add(score);
                    }
                }
            }
        }
        return rounded.values().stream().map(IdRates::median).toList();
    }

    private List<Score> once(Class<?> benchmark, String group, int threads) throws RunnerException {
        var options = new OptionsBuilder()
                .include("\\Q" + benchmark.getName() + ".\\E.*")
                .forks(forks)
                .threads(threads)
                .warmupIterations(WARM_UPS)
                .warmupTime(runTime)
                .measurementIterations(RUNS)
                .measurementTime(runTime)
                .addProfiler(GCProfiler.class)
                .addProfiler(CpuPerId.class)
                .jvmArgs("-Xmx512m")
                .verbosity(VerboseMode.SILENT)
                .shouldFailOnError(true)
                .build();
        List<Score> scores = new ArrayList<>();
        for (RunResult result : new Runner(options).run()) {
            String method = result.getParams().getBenchmark();
            String title = TITLES.getOrDefault(method.substring(method.lastIndexOf('.') + 1), method);
            scores.add(new Score(
                    group,
                    title,
                    threads,
                    result.getPrimaryResult().getScore(),
                    secondary(result, CpuPerId.LABEL),
                    secondary(result, BYTES)));
        }
        return scores;
    }

    private static double secondary(RunResult result, String label) {
        Result<?> found = result.getSecondaryResults().get(label);
        if (found == null) {
            throw new IllegalStateException(
                    "No " + label + " among " + result.getSecondaryResults().keySet());
        }
        return found.getScore();
    }

    private static Score median(List<Score> scores) {
        Score any = scores.get(0);
        return new Score(
                any.group(),
                any.title(),
                any.threads(),
                median(scores, Score::perSecond),
                median(scores, Score::cpuNanos),
                median(scores, Score::bytes));
    }

    private static double median(List<Score> scores, ToDoubleFunction<Score> value) {
        double[] sorted = scores.stream().mapToDouble(value).sorted().toArray();
        return sorted[sorted.length / 2];
    }

    private static Map<Class<?>, String> groups() {
        Map<Class<?>, String> groups = new LinkedHashMap<>();
        groups.put(SnowflakeBenchmark.class, TWITTER);
        groups.put(WideSnowflakeBenchmark.class, WIDE);
        groups.put(WideSnowflakeBatchBenchmark.class, WIDE_BATCH);
        groups.put(StripedBenchmark.class, STRIPED);
        groups.put(SegmentBenchmark.class, SEGMENT);
        groups.put(UuidBenchmark.class, UUID);
        return Collections.unmodifiableMap(groups);
    }
}
