package dev.tenon.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.client.HttpNode.Answer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Three server processes under load, of which one has a disk that takes 300 ms for a flush. As a follower it holds up
 * nobody, as the others are a majority; as the leader it answers everybody later, many by one flush, and loses nothing.
 */
@Tag("soak")
class ClusterSlowDiskTest extends FaultyCluster {
    private static final String SLOW = "n3";
    private static final Duration FLUSH = Duration.ofMillis(300);
    private static final int IN_A_ROW = 3;
    private static final int AT_ONCE = 100;

    @Override
    ServerCluster start(Path folder) {
        return ServerCluster.startWithSlowDisk(folder, SLOW, FLUSH);
    }

    @Test
    void theDiskOfAFollowerHoldsUpNobody() {
        String leader = ServerCluster.others(SLOW).get(0);
        cluster.lead(leader);
        for (String name : ServerCluster.others(SLOW)) {
            // Whoever waits for the slow disk once in three times needs longer, however often he tries.
            await().atMost(PATIENCE).until(() -> inARow(name).compareTo(FLUSH) < 0);
        }
        await().atMost(PATIENCE).until(() -> median(SLOW) >= FLUSH.toMillis() / 1e3);
        assertThat(median(leader)).isLessThan(FLUSH.toMillis() / 1e3);
        load.check();
    }

    @Test
    void theDiskOfTheLeaderHoldsUpEverybodyAndLosesNothing() {
        Set<String> numbers = new HashSet<>();
        // A machine that stands still has others elected meanwhile: then this says nothing of a leader, and is done
        // again.
        await().atMost(PATIENCE).until(() -> {
            cluster.lead(SLOW);
            double before = metric(SLOW, "tenon_raft_syncs_total");
            boolean all = true;
            for (Answer answer : atOnce()) {
                if (answer.status() == 200) {
                    String number = answer.json().path("ids").path(0).asString();
                    assertThat(numbers.add(number)).as("%s comes once", number).isTrue();
                } else {
                    assertThat(answer.status()).as(answer.text()).isIn(503, 504);
                    assertThat(answer.problem()).as(answer.text()).isIn("store-unavailable", "outcome-unknown");
                    all = false;
                }
            }
            assertThat(metric(SLOW, "tenon_raft_syncs_total") - before)
                    .as("flushes for %s answers", AT_ONCE)
                    .isLessThan(AT_ONCE / 2.0);
            return all;
        });
        await().atMost(PATIENCE).until(() -> median(SLOW) >= FLUSH.toMillis() / 1e3);
        load.check();
    }

    private Duration inARow(String name) {
        long begun = System.nanoTime();
        for (int i = 0; i < IN_A_ROW; i++) {
            cluster.client(name).post("/v1/ids/seq/next", "");
        }
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    private List<Answer> atOnce() {
        HttpNode client = cluster.client(SLOW);
        List<CompletableFuture<Answer>> calls = new ArrayList<>();
        for (int i = 0; i < AT_ONCE; i++) {
            calls.add(client.send("POST", "/v1/ids/seq/next", ""));
        }
        return calls.stream().map(CompletableFuture::join).toList();
    }

    private double median(String name) {
        return metric(name, "tenon_raft_sync_median_seconds");
    }

    private double metric(String name, String metric) {
        return cluster.client(name)
                .fetch("/metrics")
                .text()
                .lines()
                .filter(line -> line.startsWith(metric + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(metric.length() + 1)))
                .findFirst()
                .orElseThrow();
    }
}
