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
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

/** That the benchmarks run, not what they say: too short for that. */
class BenchmarksTest {
    private static final Plan SMOKE = new Plan(
            0,
            List.of(1),
            Duration.ofMillis(10),
            1,
            List.of(1, 2),
            List.of(1, 2),
            Duration.ofMillis(50),
            Duration.ofMillis(50),
            Duration.ofMillis(50),
            1);
    private static final Path PAGE = Path.of("../docs/benchmarks.md");

    @Test
    @Tag("soak")
    @Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void everyContenderGetsItsLine() throws Exception {
        Report ids = Benchmarks.run(SMOKE, Part.IDS);
        Report redis = Benchmarks.run(SMOKE, Part.REDIS);
        Report postgresql = Benchmarks.run(SMOKE, Part.POSTGRESQL);

        String empty = Files.readString(PAGE)
                .replaceAll("(?s)(<!-- (\\w+): written by scripts/benchmark -->\n).*?(<!-- end of \\2 -->)", "$1$3");
        String page = postgresql.into(redis.into(ids.into(empty)));
        assertThat(page).contains("# Benchmarks");
        for (String group : IdRates.GROUPS.values()) {
            assertThat(page).contains("### " + group + "\n");
        }
        assertThat(page.lines().filter(line -> line.startsWith("| 1 | Tenon"))).hasSize(IdRates.GROUPS.size() + 1);
        assertThat(page)
                .contains("| 1 | Hutool |", "| 1 | CosId |", "| 1 | Leaf-style |", "| 1 | CosId, loop of 1024 |");
        Map<String, Integer> stores = Map.of(
                "Tenon", 2,
                "Redisson", 1,
                "Spring Integration", 1,
                "two raw commands", 1,
                "Spring Integration JDBC", 1,
                "two raw statements", 1);
        stores.forEach((library, count) ->
                // With one thread, with two, and by round trips.
                assertThat(page.lines().filter(line -> line.startsWith("| " + library + " |")))
                        .as(library)
                        .hasSize(3 * count));
        assertThat(page)
                .contains(
                        "| Snowflake, Twitter's layout, 1 thr.: share of the cap | ≥ 0.99 |",
                        "| Snowflake, wide sequence, 1 thr.: ÷ the fastest peer | ≥ 1.5 |",
                        "| Snowflake, wide sequence, 1024 at a time, 1 thr.: CPU ns per ID | ≤ 1.0 |",
                        "| Segment, ranges from memory, 1 thr.: ÷ Leaf-style | ≥ 5.0 |",
                        "| UUID version 7, in order, 1 thr.: ÷ the fastest peer that keeps order | ≥ 2.0 |",
                        "| Redis lock, 2 thr.: ÷ Redisson | ≥ 3.0 |",
                        "| PostgreSQL lock, 1 thr.: ÷ Spring Integration JDBC | ≥ 3.0 |",
                        "| Redis lock, round trips to hand over | ≤ 1.3 |",
                        "| PostgreSQL lock, round trips to hand over | ≤ 1.3 |");
        assertThat(page)
                .contains("| Tenon, leased worker ID | clock set back while down |")
                .doesNotContainPattern("\\| Tenon, leased worker ID .* \\*\\*")
                .doesNotContainPattern("\\| Tenon segment .* \\*\\*");
        assertThat(page).doesNotContain("NaN", "Infinity");
        assertThat(parsed(ids.plot()).getElementsByTagName("rect").getLength()).isGreaterThan(10);
    }

    private static Document parsed(String svg) throws Exception {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
    }

    @Test
    void everyPartHasItsPlace() throws Exception {
        String page = Files.readString(PAGE);
        for (Part part : Part.values()) {
            assertThat(new Report(SMOKE, part).into(page)).contains("benchmarks/" + part.label() + ".svg");
        }
    }

    @Test
    void proseStaysWhenFiguresAreReplaced() {
        Report report = new Report(SMOKE, Part.REDIS);
        String page = "before\n<!-- redis: written by scripts/benchmark -->\nold\n<!-- end of redis -->\nafter\n";

        assertThat(report.into(page))
                .startsWith("before\n")
                .endsWith("<!-- end of redis -->\nafter\n")
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
