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
    private static final double MILLION = 1e6;

    private final StringBuilder text = new StringBuilder();
    private final List<Bar> bars = new ArrayList<>();
    private final Aims aims = new Aims();

    private final Part part;

    Report(Plan plan, Part part) {
        this.part = part;
        paragraph("Run on " + LocalDate.now() + ", on " + Runtime.getRuntime().availableProcessors()
                + " cores that are shared with others, with JDK " + System.getProperty("java.version") + ": " + plan
                + ".");
        paragraph("![The ratios as a plot](benchmarks/" + part.label() + ".svg)");
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

    void duplicates(List<PeerDuplicates.Finding> findings) {
        paragraph("### Duplicates that the hunt found");
        text.append("| | fault | IDs compared | refused | duplicates |\n|---|---|--:|--:|--:|\n");
        for (PeerDuplicates.Finding finding : findings) {
            text.append(String.format(
                    Locale.ROOT,
                    "| %s | %s | %d | %d | %s |%n",
                    finding.title(),
                    finding.trial(),
                    finding.issued(),
                    finding.refused(),
                    finding.duplicates() == 0 ? "none" : "**" + finding.duplicates() + "**"));
        }
        text.append('\n');
    }

    void pairs(String store, int threads, List<LockPairs.Score> scores) {
        aims.pairs(store, threads, scores);
        pairs(
                store + " lock, acquire and release, "
                        + (threads == 1 ? "1 thread" : threads + " threads of one process on one name"),
                store + " lock, " + threads + " thr.: ",
                scores);
    }

    void segments(String store, List<LockPairs.Score> scores) {
        scores(
                "### " + store + ", a segment of 1 000 numbers, 1 thread",
                "segments/s | one, median",
                store + ", a segment: ",
                scores);
    }

    void cluster(int clients, List<LockPairs.Score> scores) {
        aims.cluster(clients, scores);
        pairs(
                "A lock in a cluster, fsync before the answer, "
                        + (clients == 1 ? "1 client" : clients + " clients, each with a name of its own"),
                "cluster, " + clients + " clients: ",
                scores);
    }

    void transactions(MeasuredTransactions table, List<LockPairs.Score> scores) {
        aims.transactions(table, scores);
        scores("### " + table.title(), "transactions/s | one, median", table.label() + ": ", scores);
    }

    void sending(List<SendingRates.Score> scores) {
        scores.forEach(aims::sending);
        paragraph("### Written by " + SendingRates.WRITERS
                + " threads, each message with its business commit, and sent meanwhile, PostgreSQL");
        text.append("| messages/s | one key | twelve keys | without keys |\n|---|--:|--:|--:|\n");
        for (SendingRates.Score score : scores) {
            text.append("| ").append(score.title());
            for (int keys : SendingRates.KEYS) {
                Double rate = score.perSecond().get(keys);
                text.append(rate == null ? " | –" : String.format(Locale.ROOT, " | %.0f", rate));
                if (rate != null && score != scores.get(0)) {
                    double ours = scores.get(0).perSecond().getOrDefault(keys, 0.0);
                    bars.add(new Bar((keys == 0 ? "no key: " : keys + " key(s): ") + score.title(), ours / rate));
                }
            }
            text.append(" |\n");
        }
        text.append('\n');
    }

    private void pairs(String title, String label, List<LockPairs.Score> scores) {
        scores("### " + title, "pairs/s | one pair, median", label, scores);
    }

    private void scores(String heading, String columns, String label, List<LockPairs.Score> scores) {
        paragraph(heading);
        text.append("| | " + columns + " | 99 % below | Tenon ÷ it |\n|---|--:|--:|--:|--:|\n");
        double ours = scores.get(0).perSecond();
        for (LockPairs.Score score : scores) {
            boolean isOurs = score.title().startsWith("Tenon");
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
                bars.add(new Bar(label + score.title(), ratio));
            }
        }
        text.append('\n');
    }

    void requests(int connections, List<RequestRates.Score> scores) {
        aims.requests(connections, scores);
        paragraph("### IDs over the network, " + connections + (connections == 1 ? " connection" : " connections"));
        text.append("| | IDs/s | one request, median | 99 % below | 99.9 % below | ÷ Redis |\n");
        text.append("|---|--:|--:|--:|--:|--:|\n");
        double redis = scores.get(0).perSecond();
        for (RequestRates.Score score : scores) {
            double ratio = score.perSecond() / redis;
            text.append(String.format(
                    Locale.ROOT,
                    "| %s | %.0f | %.2f ms | %.2f ms | %.2f ms | %s |%n",
                    score.title(),
                    score.perSecond(),
                    score.median().toNanos() / MILLION,
                    score.tail().toNanos() / MILLION,
                    score.extreme().toNanos() / MILLION,
                    BarChart.ratio(ratio)));
            if (score != scores.get(0)) {
                bars.add(new Bar(connections + " conn.: " + score.title() + " ÷ Redis INCR", ratio));
            }
        }
        text.append('\n');
    }

    void roundTrips(String store, List<LockRoundTrips.Count> counts) {
        aims.roundTrips(store, counts);
        paragraph("### " + store + " lock, round trips (time through a delaying proxy ÷ its delay)");
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
    void writeTo(Path docs) throws IOException {
        Path page = docs.resolve("benchmarks.md");
        Files.writeString(page, into(Files.readString(page)));
        Path plots = Files.createDirectories(docs.resolve("benchmarks"));
        Files.writeString(plots.resolve(part.label() + ".svg"), plot());
    }

    String plot() {
        return BarChart.svg("Throughput, Tenon ÷ peer, in one interleaved run (to the right: Tenon is faster)", bars);
    }

    String into(String page) {
        String begin = "<!-- " + part.label() + ": written by scripts/benchmark -->\n";
        String end = "<!-- end of " + part.label() + " -->\n";
        int from = page.indexOf(begin);
        int to = page.indexOf(end);
        if (from < 0 || to < from) {
            throw new IllegalStateException(
                    "The page has no place for figures: " + begin.strip() + " … " + end.strip());
        }
        StringBuilder table = new StringBuilder("### Aims, and what this run reached\n\n");
        table.append("| | aim | reached | met |\n|---|--:|--:|---|\n");
        aims.rows().forEach(row -> table.append(row).append('\n'));
        return page.substring(0, from + begin.length()) + "\n" + text + table + "\n" + page.substring(to);
    }

    private static IdRates.Score oursBeside(IdRates.Score score, List<IdRates.Score> group) {
        return group.stream()
                .filter(other -> other.ours() && other.threads() == score.threads())
                .findFirst()
                .orElseThrow();
    }
}
