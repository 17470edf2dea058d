package dev.tenon.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/** What Tenon wants to reach, beside what it reached in this run: the misses are the work to come. */
final class Aims {
    private static final double CAP_PER_SECOND = 4_096_000;

    /** How much faster a lock that nobody else wants is to be than that of the peer. */
    private static final Map<String, Double> ALONE = Map.of(
            RedissonLock.TITLE, 1.5,
            CuratorLock.TITLE, 1.5,
            EtcdServiceLock.TITLE, 1.2,
            SpringLock.ON_SQL, 3.0,
            RawRedisLock.TITLE, 0.9,
            RawSqlLock.TITLE, 0.9);

    /** The same for a transaction over two databases. */
    private static final Map<String, Double> XA =
            Map.of(XaContenders.NARAYANA, 1.3, AtomikosContender.TITLE, 2.0, XaContenders.BY_HAND, 0.9);

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
                case IdRates.WIDE ->
                    atLeast(
                            label + "÷ the fastest peer",
                            1.5,
                            ours.perSecond() / most(peers, IdRates.Score::perSecond));
                case IdRates.WIDE_BATCH -> atMost(label + "CPU ns per ID", 1, ours.cpuNanos());
                case IdRates.UUID -> uuid(label, ours, peers);
                case IdRates.STRIPED -> striped(label, ours, peers);
                default -> segment(label, ours, peers);
            }
        }
    }

    private void uuid(String label, IdRates.Score ours, List<IdRates.Score> peers) {
        List<IdRates.Score> ordered = peers.stream()
                .filter(peer -> !peer.title().equals(IdRates.JDK_VERSION_4))
                .toList();
        double fastest = most(ordered, IdRates.Score::perSecond);
        atLeast(label + "÷ the fastest peer that keeps order", 2, ours.perSecond() / fastest);
        atMost(label + "bytes per UUID", 32.5, ours.bytes()); // 32 is the object; the rest is the measuring
    }

    private void striped(String label, IdRates.Score ours, List<IdRates.Score> peers) {
        if (ours.threads() == 1 || ours.threads() == 8) {
            double aim = ours.threads() == 1 ? 2 : 10;
            atLeast(label + "÷ CosId", aim, times(ours, peers, "CosId"));
            atLeast(label + "÷ Leaf-style", aim, times(ours, peers, "Leaf-style"));
        }
        atMost(label + "B per ID", 0.05, ours.bytes());
    }

    private void segment(String label, IdRates.Score ours, List<IdRates.Score> peers) {
        if (ours.threads() == 1) {
            atLeast(label + "÷ CosId", 1.2, times(ours, peers, "CosId"));
            atLeast(label + "÷ Leaf-style", 5, times(ours, peers, "Leaf-style"));
        } else if (ours.threads() == 8) {
            atLeast(label + "÷ CosId", 3, times(ours, peers, "CosId"));
        }
    }

    void pairs(String store, int threads, List<LockPairs.Score> scores) {
        String label = store + " lock, " + threads + " thr.: ÷ ";
        double ours = perSecond(scores, TenonLock.TITLE);
        for (LockPairs.Score score : scores) {
            boolean raw =
                    score.title().equals(RawRedisLock.TITLE) || score.title().equals(RawSqlLock.TITLE);
            double ratio = ours / score.perSecond();
            if (threads > 1 && !raw && !score.title().startsWith(TenonLock.TITLE)) {
                atLeast(label + score.title(), 3, ratio);
            } else if (threads == 1 && ALONE.containsKey(score.title())) {
                atLeast(label + score.title(), ALONE.getOrDefault(score.title(), 1.0), ratio);
            }
        }
    }

    void requests(int connections, List<RequestRates.Score> scores) {
        for (RequestRates.Score score : scores.subList(1, scores.size())) {
            double aim = score.title().contains(NetworkIds.BATCH) ? 50 : 1.0 / 3;
            String label = connections + (connections == 1 ? " connection: " : " connections: ");
            atLeast(
                    label + score.title() + " ÷ Redis INCR",
                    aim,
                    score.perSecond() / scores.get(0).perSecond());
        }
    }

    void cluster(int clients, List<LockPairs.Score> scores) {
        atLeast(
                "Cluster, " + clients + " clients: ÷ " + scores.get(1).title(),
                clients == 1 ? 1.0 : 1.5,
                scores.get(0).perSecond() / scores.get(1).perSecond());
    }

    void transactions(MeasuredTransactions table, List<LockPairs.Score> scores) {
        LockPairs.Score ours = scores.get(0);
        for (LockPairs.Score score : scores.subList(1, scores.size())) {
            String label = table.label() + ": ÷ " + score.title();
            double ratio = ours.perSecond() / score.perSecond();
            switch (table) {
                case OUTBOX -> {
                    if (score.title().equals(OutboxContenders.ALONE)) {
                        atLeast(label, 0.9, ratio);
                    }
                }
                case HANDLER -> {
                    if (!score.title().startsWith(TenonLock.TITLE)) {
                        handler(table.label(), ours, score);
                    }
                }
                case XA -> atLeast(label, XA.getOrDefault(score.title(), 1.0), ratio);
                case LAST_RESOURCE -> atLeast(label, 2, ratio);
                case TCC -> atLeast(label, 3, ratio);
                case SAGA -> throw new IllegalStateException("No aim for " + label);
            }
        }
    }

    void sending(SendingRates.Score score) {
        double rate = score.perSecond().getOrDefault(12, 0.0);
        if (score.title().equals(TenonLock.TITLE)) {
            atLeast("outbox, twelve keys, written and sent at once: messages/s", 2000, rate);
        } else if (score.title().equals(OutboxContenders.BACKLOG)) {
            atLeast("outbox, twelve keys, committed before: messages/s", 2000, rate);
        }
    }

    private void handler(String label, LockPairs.Score ours, LockPairs.Score peer) {
        double median = (double) ours.median().toNanos() / peer.median().toNanos();
        double tail = (double) ours.tail().toNanos() / peer.tail().toNanos();
        atMost(label + ", median: ÷ " + peer.title(), 0.5, median);
        atMost(label + ", 99 %: ÷ " + peer.title(), 0.5, tail);
    }

    void roundTrips(String store, List<LockRoundTrips.Count> counts) {
        for (LockRoundTrips.Count count : counts) {
            if (count.title().equals(TenonLock.TITLE)) {
                atMost(store + " lock, round trips to acquire", 1.2, count.acquire());
                atMost(store + " lock, round trips to release", 1.2, count.release());
                atMost(store + " lock, round trips to hand over", 1.3, count.handOver());
            }
        }
    }

    private void atLeast(String what, double aim, double reached) {
        row(what, "≥ " + Math.round(aim * 100) / 100.0, reached, reached >= aim);
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

    private static double most(List<IdRates.Score> peers, ToDoubleFunction<IdRates.Score> value) {
        return peers.stream().mapToDouble(value).max().orElseThrow();
    }

    private static double perSecond(List<LockPairs.Score> scores, String title) {
        return scores.stream()
                .filter(score -> score.title().equals(title))
                .mapToDouble(LockPairs.Score::perSecond)
                .findFirst()
                .orElseThrow();
    }
}
