package dev.tenon.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Faults one after the other, at random, while a load runs; after each of them all members are ready. For one thread.
 */
final class HistoryCampaign {
    private final ServerCluster cluster;
    private final ClusterLoad load;
    private final Map<String, Tally> tallies = new LinkedHashMap<>();

    HistoryCampaign(ServerCluster cluster, ClusterLoad load) {
        this.cluster = cluster;
        this.load = load;
    }

    /** What was seen of one kind of fault. */
    private static final class Tally {
        private int times;
        private int answers;
        private Duration took = Duration.ZERO;
        private Duration silence = Duration.ZERO;
    }

    /** Each of them once, in their order. */
    void runEach(List<Fault> faults) {
        faults.forEach(this::run);
    }

    /** Each of them once, however long that takes, and then any of them until the time is over. */
    void run(List<Fault> faults, Duration length, Random random) {
        long begun = System.nanoTime();
        List<Fault> shuffled = new ArrayList<>(faults);
        Collections.shuffle(shuffled, random);
        runEach(shuffled);
        while (System.nanoTime() - begun < length.toNanos()) {
            run(faults.get(random.nextInt(faults.size())));
        }
    }

    private void run(Fault fault) {
        System.out.println(fault.name());
        long begun = System.nanoTime();
        int answers = load.answers();
        load.longestSilence();
        try {
            fault.run().run();
            cluster.members().forEach(cluster::awaitReady);
            load.awaitAnswers(1);
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("Fault: " + fault.name() + ": " + e.getMessage(), e);
        }
        Tally tally = tallies.computeIfAbsent(fault.name(), name -> new Tally());
        tally.times++;
        tally.answers += load.answers() - answers;
        tally.took = tally.took.plusNanos(System.nanoTime() - begun);
        Duration silence = load.longestSilence();
        tally.silence = silence.compareTo(tally.silence) > 0 ? silence : tally.silence;
    }

    /** A table, in Markdown, of what was done and seen. */
    List<String> summary() {
        List<String> lines = new ArrayList<>();
        lines.add("| fault | times | seconds | answers | longest time without any |");
        lines.add("|---|---|---|---|---|");
        tallies.forEach((name, tally) -> lines.add("| " + name + " | " + tally.times + " | " + tally.took.toSeconds()
                + " | " + tally.answers + " | " + tally.silence.toMillis() + " ms |"));
        return lines;
    }
}
