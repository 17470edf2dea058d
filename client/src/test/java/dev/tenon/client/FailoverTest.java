package dev.tenon.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.client.Failover.Round;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three server processes whose leader falls silent, in each way there is, while survivors and clients are asked. Once
 * each here; {@code scripts/soak-server --failover} does so twenty times each, and prints the table of
 * {@code docs/server/cluster.md}.
 */
@Tag("soak")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FailoverTest {
    private static final String ROUNDS = "tenon.failover.rounds";
    private static final List<LeaderFault> FAULTS = faults();

    /** A machine that is busy, or an election that is a tie. */
    private static final int ATTEMPTS = 4;

    private static final Duration SURVIVORS_MAX = Duration.ofMillis(2500);
    private static final Duration CLIENT_MAX = Duration.ofSeconds(4);
    /** What stood still for so long has refused requests that it could have served. */
    private static final Duration SPOILS = Duration.ofSeconds(1);

    private ServerCluster cluster;
    private Failover failover;

    private static List<LeaderFault> faults() {
        List<LeaderFault> named = Stream.of(
                        System.getProperty("tenon.failover.faults", "").split(","))
                .filter(name -> !name.isEmpty())
                .map(LeaderFault::valueOf)
                .toList();
        return named.isEmpty() ? Arrays.asList(LeaderFault.values()) : named;
    }

    @BeforeAll
    void start(@TempDir Path folder) {
        cluster = ServerCluster.start(folder);
        failover = new Failover(cluster);
    }

    @AfterAll
    void stop() {
        failover.close();
        cluster.close();
    }

    @Test
    void survivorsAndClientsAreServedSoonAgain() {
        int measured = Integer.getInteger(ROUNDS, 0);
        if (measured > 0) {
            measure(measured);
            return;
        }
        for (LeaderFault fault : FAULTS) {
            List<Round> rounds = new ArrayList<>();
            do {
                rounds.add(failover.run(fault));
            } while (!inTime(rounds.get(rounds.size() - 1)) && rounds.size() < ATTEMPTS);
            assertThat(rounds).as(fault.told()).anyMatch(FailoverTest::inTime);
        }
    }

    private static boolean inTime(Round round) {
        Duration survivors = round.survivors().minus(round.standstill());
        Duration client = round.client().minus(round.standstill());
        boolean standstill = round.standstill().compareTo(SPOILS) > 0;
        return (round.refused().isEmpty() || standstill)
                && survivors.compareTo(SURVIVORS_MAX) < 0
                && client.compareTo(CLIENT_MAX) < 0;
    }

    private void measure(int times) {
        Map<LeaderFault, List<Round>> all = new EnumMap<>(LeaderFault.class);
        for (int i = 0; i < times; i++) {
            for (LeaderFault fault : FAULTS) {
                Round round = failover.run(fault);
                all.computeIfAbsent(fault, key -> new ArrayList<>()).add(round);
                System.out.println(fault + ": " + seconds(round.survivors()) + ", client " + seconds(round.client())
                        + ", refused " + round.refused().size()
                        + round.refused().stream().limit(1).toList());
            }
        }
        System.out.println(table(all));
    }

    private static String table(Map<LeaderFault, List<Round>> all) {
        StringBuilder table = new StringBuilder("| the leader | again after: median | maximum | refused or lost"
                + " | `TenonClient`: median | maximum |\n|---|---|---|---|---|---|\n");
        all.forEach((fault, rounds) -> {
            table.append("| ").append(fault.told());
            append(table, rounds, Round::survivors);
            table.append(" | ")
                    .append(rounds.stream().mapToInt(r -> r.refused().size()).sum());
            append(table, rounds, Round::client);
            table.append(" |\n");
        });
        return table.toString();
    }

    private static void append(StringBuilder table, List<Round> rounds, Function<Round, Duration> time) {
        List<Duration> sorted = rounds.stream().map(time).sorted().toList();
        table.append(" | ").append(seconds(sorted.get(sorted.size() / 2)));
        table.append(" | ").append(seconds(sorted.get(sorted.size() - 1)));
    }

    private static String seconds(Duration time) {
        return String.format(Locale.ROOT, "%.2f s", time.toMillis() / 1e3);
    }
}
