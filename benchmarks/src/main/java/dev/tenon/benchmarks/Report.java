package dev.tenon.benchmarks;

import dev.tenon.benchmarks.BarChart.Bar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The figures of one run as Markdown, between two marks of a page whose prose stays as it is, and as a plot. */
final class Report {
    private static final String FROM = "<!-- figures: scripts/benchmark writes from here -->\n";
    private static final String TO = "<!-- to here -->\n";
    private static final double MILLION = 1e6;

    private final StringBuilder text = new StringBuilder();
    private final List<Bar> bars = new ArrayList<>();
    private final Aims aims = new Aims();

    Report() {
        paragraph("Run on " + LocalDate.now() + ", on " + Runtime.getRuntime().availableProcessors()
                + " cores that are shared with others, with JDK " + System.getProperty("java.version") + ".");
        paragraph("![The ratios as a plot](benchmarks.svg)");
    }

    private void paragraph(String line) {
        text.append(line).append("\n\n");
    }

    void ids(List<IdRates.Score> scores) {
        Map<String, List<IdRates.Score>> groups = new LinkedHashMap<>();
        scores.forEach(s ->
                groups.computeIfAbsent(s.group(), first -> new ArrayList<>()).add(s));
        groups.forEach((group, all) -> {
            all.sort(Comparator.comparingInt(IdRates.Score::threads)
                    .thenComparing(score -> !score.ours())
                    .thenComparing(IdRates.Score::title));
            aims.ids(group, all);
            paragraph("### " + group);
            text.append("| threads | | million IDs/s | CPU ns per ID | B per ID | Tenon ÷ it |\n");
            text.append("|--:|---|--:|--:|--:|--:|\n");
            for (IdRates.Score score : all) {
                double ratio = oursBeside(score, all).perSecond() / score.perSecond();
                text.append(String.format(
                        Locale.ROOT,
                        "| %d | %s | %.2f | %.1f | %.1f | %s |%n",
                        score.threads(),
                        score.title(),
                        score.perSecond() / MILLION,
                        score.cpuNanos(),
                        Math.abs(score.bytes()),
                        score.ours() ? "" : BarChart.ratio(ratio)));
                if (!score.ours()) {
                    String shortGroup = group.split(" \\(")[0];
                    bars.add(new Bar(shortGroup + ", " + score.threads() + " thr.: " + score.title(), ratio));
                }
            }
            text.append('\n');
        });
    }

    void pairs(int threads, List<LockPairs.Score> scores) {
        aims.pairs(threads, scores);
        paragraph("### Redis lock, acquire and release, "
                + (threads == 1 ? "1 thread" : threads + " threads of one process on one name"));
        text.append("| | pairs/s | one pair, median | 99 % below | Tenon ÷ it |\n|---|--:|--:|--:|--:|\n");
        double ours = scores.get(0).perSecond();
        for (LockPairs.Score score : scores) {
            boolean isOurs = score == scores.get(0);
            double ratio = ours / score.perSecond();
            text.append(String.format(
                    Locale.ROOT,
                    "| %s | %.0f | %.2f ms | %.2f ms | %s |%n",
                    score.title(),
                    score.perSecond(),
                    score.median().toNanos() / MILLION,
                    score.tail().toNanos() / MILLION,
                    isOurs ? "" : BarChart.ratio(ratio)));
            if (!isOurs) {
                bars.add(new Bar("Redis lock, " + threads + " thr.: " + score.title(), ratio));
            }
        }
        text.append('\n');
    }

    void roundTrips(List<LockRoundTrips.Count> counts) {
        aims.roundTrips(counts);
        paragraph("### Redis lock, round trips (time through a delaying proxy ÷ its delay)");
        text.append("| | acquire | release | hand-over to another process |\n|---|--:|--:|--:|\n");
        for (LockRoundTrips.Count count : counts) {
            text.append(String.format(
                    Locale.ROOT,
                    "| %s | %.2f | %.2f | %.2f |%n",
                    count.title(),
                    count.acquire(),
                    count.release(),
                    count.handOver()));
        }
        text.append('\n');
    }

    /** Puts the figures into the page, and the plot beside it. */
    void writeTo(Path page, Path plot) throws IOException {
        Files.writeString(page, into(Files.readString(page)));
        Files.writeString(plot, plot());
    }

    String plot() {
        return BarChart.svg("Throughput, Tenon ÷ peer, in one interleaved run (to the right: Tenon is faster)", bars);
    }

    String into(String page) {
        int from = page.indexOf(FROM);
        int to = page.indexOf(TO);
        if (from < 0 || to < from) {
            throw new IllegalStateException("The page has no place for figures: " + FROM.strip() + " … " + TO.strip());
        }
        StringBuilder table = new StringBuilder("### Aims, and what this run reached\n\n");
        table.append("| | aim | reached | met |\n|---|--:|--:|---|\n");
        aims.rows().forEach(row -> table.append(row).append('\n'));
        return page.substring(0, from + FROM.length()) + "\n" + text + table + "\n" + page.substring(to);
    }

    private static IdRates.Score oursBeside(IdRates.Score score, List<IdRates.Score> group) {
        return group.stream()
                .filter(other -> other.ours() && other.threads() == score.threads())
                .findFirst()
                .orElseThrow();
    }
}
