package dev.tenon.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.memory.MemoryBackend;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.xml.sax.InputSource;

/** That the benchmarks run, not what they say: too short for that. */
class BenchmarksTest {
    private static final Plan SMOKE =
            new Plan(0, List.of(1), Duration.ofMillis(10), 1, List.of(1, 2), Duration.ofMillis(50), 1);
    private static final Path PAGE = Path.of("../docs/benchmarks.md");

    @Test
    @Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void everyContenderGetsItsLine() throws Exception {
        Report report = Benchmarks.run(SMOKE);

        String page = report.into(Files.readString(PAGE));
        assertThat(page).contains("# Benchmarks");
        for (String group : IdRates.GROUPS.values()) {
            assertThat(page).contains("### " + group + "\n");
        }
        assertThat(page.lines().filter(line -> line.startsWith("| 1 | Tenon"))).hasSize(IdRates.GROUPS.size() + 1);
        assertThat(page)
                .contains("| 1 | Hutool |", "| 1 | CosId |", "| 1 | Leaf-style |", "| 1 | CosId, loop of 1024 |");
        for (String library : List.of("Tenon", "Redisson", "two raw commands")) {
            // With one thread, with two, and by round trips.
            assertThat(page.lines().filter(line -> line.startsWith("| " + library + " |")))
                    .hasSize(3);
        }
        assertThat(page)
                .contains(
                        "| Snowflake, Twitter's layout, 1 thr.: share of the cap | ≥ 0.99 |",
                        "| Snowflake, wide sequence, 1 thr.: ÷ CosId | ≥ 1.5 |",
                        "| Snowflake, wide sequence, 1024 at a time, 1 thr.: CPU ns per ID | ≤ 1.0 |",
                        "| Segment, ranges from memory, 1 thr.: ÷ Leaf-style | ≥ 5.0 |",
                        "| Redis lock, 2 thr.: ÷ Redisson | ≥ 3.0 |",
                        "| Redis lock, round trips to hand over | ≤ 1.3 |");
        assertThat(page).doesNotContain("NaN", "Infinity");
        var svg = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(report.plot())));
        assertThat(svg.getElementsByTagName("rect").getLength()).isGreaterThan(10);
    }

    @Test
    void proseStaysWhenFiguresAreReplaced() {
        Report report = new Report();
        String page = "before\n<!-- figures: scripts/benchmark writes from here -->\nold\n<!-- to here -->\nafter\n";

        assertThat(report.into(page))
                .startsWith("before\n")
                .endsWith("<!-- to here -->\nafter\n")
                .contains("Run on")
                .doesNotContain("old");
        assertThatThrownBy(() -> report.into("a page without the marks")).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void leafStyleSegmentsRepeatNothing() throws Exception {
        try (var backend = MemoryBackend.create();
                LeafStyleSegment leaf = new LeafStyleSegment(backend.ranges(), "leaf", 10)) {
            Set<Long> seen = new HashSet<>();
            for (int i = 0; i < 10_000; i++) {
                assertThat(seen.add(leaf.nextId())).isTrue();
            }
        }
    }
}
