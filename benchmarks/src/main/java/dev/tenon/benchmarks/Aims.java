package dev.tenon.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/** What Tenon wants to reach, beside what it reached in this run: the misses are the work to come. */
final class Aims {
    private static final double CAP_PER_SECOND = 4_096_000;
    private static final String OURS = "Tenon";

    private final List<String> rows = new ArrayList<>();

    /** The table; empty if nothing was measured. */
    List<String> rows() {
        return List.copyOf(rows);
    }

    void ids(String group, List<IdRates.Score> scores) {
        for (IdRates.Score ours : scores) {
            if (!ours.ours() || ours.title().endsWith("1000")) {
                continue;
            }
            String label = group.split(" \\(")[0] + ", " + ours.threads() + " thr.: ";
            List<IdRates.Score> peers = scores.stream()
                    .filter(peer -> !peer.ours() && peer.threads() == ours.threads())
                    .toList();
            switch (group) {
                case IdRates.TWITTER -> {
                    atLeast(label + "share of the cap", 0.99, ours.perSecond() / CAP_PER_SECOND);
                    double thriftiest = least(peers, peer -> true, IdRates.Score::cpuNanos);
                    atLeast(label + "CPU per ID of the thriftiest peer ÷ ours", 4, thriftiest / ours.cpuNanos());
                }
                case IdRates.WIDE -> atLeast(label + "÷ CosId", 1.5, times(ours, peers, "CosId"));
                case IdRates.WIDE_BATCH -> atMost(label + "CPU ns per ID", 1, ours.cpuNanos());
                default -> segment(label, ours, peers);
            }
        }
    }

    private void segment(String label, IdRates.Score ours, List<IdRates.Score> peers) {
        if (ours.threads() == 1) {
            atLeast(label + "÷ CosId", 1.2, times(ours, peers, "CosId"));
            atLeast(label + "÷ Leaf-style", 5, times(ours, peers, "Leaf-style"));
        } else if (ours.threads() == 8) {
            atLeast(label + "÷ CosId", 3, times(ours, peers, "CosId"));
        }
    }

    void pairs(int threads, List<LockPairs.Score> scores) {
        double ours = perSecond(scores, OURS);
        String label = "Redis lock, " + threads + " thr.: ";
        atLeast(label + "÷ Redisson", threads == 1 ? 1.5 : 3, ours / perSecond(scores, "Redisson"));
        if (threads == 1) {
            atLeast(label + "÷ two raw commands", 0.9, ours / perSecond(scores, "two raw commands"));
        }
    }

    void roundTrips(List<LockRoundTrips.Count> counts) {
        for (LockRoundTrips.Count count : counts) {
            if (count.title().equals(OURS)) {
                atMost("Redis lock, round trips to acquire", 1.2, count.acquire());
                atMost("Redis lock, round trips to release", 1.2, count.release());
                atMost("Redis lock, round trips to hand over", 1.3, count.handOver());
            }
        }
    }

    private void atLeast(String what, double aim, double reached) {
        row(what, "≥ " + aim, reached, reached >= aim);
    }

    private void atMost(String what, double aim, double reached) {
        row(what, "≤ " + aim, reached, reached <= aim);
    }

    private void row(String what, String aim, double reached, boolean met) {
        rows.add(String.format(Locale.ROOT, "| %s | %s | %.2f | %s |", what, aim, reached, met ? "yes" : "**no**"));
    }

    private static double times(IdRates.Score ours, List<IdRates.Score> peers, String peer) {
        return ours.perSecond() / least(peers, score -> score.title().equals(peer), IdRates.Score::perSecond);
    }

    private static double least(
            List<IdRates.Score> peers, Predicate<IdRates.Score> which, ToDoubleFunction<IdRates.Score> value) {
        return peers.stream().filter(which).mapToDouble(value).min().orElseThrow();
    }

    private static double perSecond(List<LockPairs.Score> scores, String title) {
        return scores.stream()
                .filter(score -> score.title().equals(title))
                .mapToDouble(LockPairs.Score::perSecond)
                .findFirst()
                .orElseThrow();
    }
}
