package dev.tenon.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three to five servers with mutual TLS on every line, and clients over HTTP and gRPC whose calls and answers are one
 * history, under every kind of fault that this kit has. All that was answered must be true ({@link ClusterLoad#check}).
 *
 * <p>The test command has four of them; {@code scripts/soak-server --history} has all of them, for ten minutes.
 */
class ClusterHistoryTest {
    private static final Duration LENGTH = Duration.ofSeconds(Integer.getInteger("tenon.history.seconds", 0));
    private static final long SEED =
            Long.getLong("tenon.seed", ThreadLocalRandom.current().nextInt(1_000_000));
    /** What happens most, and what has gone wrong most. */
    private static final Set<String> FEW = Set.of(
            "kill -9 of the leader", "leader stands still (SIGSTOP)", "leader in a black hole", "leader is removed");
    /** The faults whose names have this pattern in them. */
    private static final Pattern ONLY = Pattern.compile(System.getProperty("tenon.history.only", ""));

    @TempDir
    private Path folder;

    @Test
    void whatWasAnsweredIsTrueUnderEveryFault() throws IOException {
        Instant begun = Instant.now();
        Random random = new Random(SEED);
        try (ServerCluster cluster = ServerCluster.startGuarded(folder, ProcessFaults.CLOCKED);
                ClusterLoad load = ClusterLoad.start(cluster, FaultScene.PATIENCE)) {
            load.awaitAnswers(1);
            HistoryCampaign campaign = new HistoryCampaign(cluster, load);
            FaultScene scene = new FaultScene(cluster, load, random);
            MemberFaults members = new MemberFaults(scene);
            FolderFaults folders = new FolderFaults(scene);
            String verdict = "not judged, or not linearizable";
            try {
                List<Fault> all = new ArrayList<>(new ProcessFaults(scene).all());
                all.addAll(new LineFaults(scene).all());
                all.addAll(members.all());
                all.addAll(folders.all());
                if (LENGTH.isZero()) {
                    List<Fault> few = all.stream()
                            .filter(fault -> FEW.contains(fault.name()))
                            .toList();
                    assertThat(few).as("faults by these names").hasSize(FEW.size());
                    campaign.runEach(few);
                } else {
                    all.removeIf(fault -> !ONLY.matcher(fault.name()).find());
                    campaign.run(all, LENGTH, random);
                }
                load.check();
                verdict = "linearizable";
            } finally {
                List<String> summary = new ArrayList<>(campaign.summary());
                summary.add("");
                summary.add("Seed " + SEED + ", begun " + begun + ", " + load.counts() + ": " + verdict);
                summary.forEach(System.out::println);
                Files.write(
                        Files.createDirectories(Path.of("target", "history")).resolve("seed-" + SEED + ".md"), summary);
            }
        }
    }
}
