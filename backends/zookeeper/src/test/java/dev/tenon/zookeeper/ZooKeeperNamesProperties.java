package dev.tenon.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.Names;
import dev.tenon.id.machine.RangeTable;
import dev.tenon.id.machine.WorkerTable;
import dev.tenon.id.spi.RangeDefinition;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.zookeeper.common.PathUtils;

/** Every name that Tenon takes can be a node's, and every text that is written can be read again. */
class ZooKeeperNamesProperties {
    private static final ZooKeeperPaths PATHS = new ZooKeeperPaths("/tenon");

    @Provide
    Arbitrary<String> names() {
        return Arbitraries.strings().ofMinLength(1).ofMaxLength(20).filter(ZooKeeperNamesProperties::valid);
    }

    private static boolean valid(String name) {
        try {
            Names.requireValid("name", name);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    @Property(tries = 200)
    void everyNameIsANodesNameAndNoTwoAreOne(@ForAll("names") String name) {
        String path = PATHS.range(name);
        PathUtils.validatePath(path);
        String component = path.substring("/tenon/ranges/".length());
        assertThat(component).doesNotContain("/").matches("[ -~]+");
        // It can be taken back, so no two names have the same.
        assertThat(URLDecoder.decode(component.replace("+", "%2B"), StandardCharsets.UTF_8))
                .isEqualTo(name);
    }

    @Example
    void namesThatZooKeeperWouldRefuseAreEscaped() {
        for (String name :
                List.of(".", "..", "a/b", "/", "zookeeper", "\uE000", "\uD83D\uDE00", "\uFFFF", "%", "%2E")) {
            assertThatCode(() -> PathUtils.validatePath(PATHS.group(name)))
                    .as(name)
                    .doesNotThrowAnyException();
        }
        assertThat(PATHS.range(".")).isNotEqualTo(PATHS.range("%2E")).endsWith("/%2e");
        assertThat(PATHS.range("orders:2026-11")).endsWith("/orders:2026-11");
    }

    @Property(tries = 200)
    void whatIsWrittenIsRead(@ForAll("names") String name, @ForAll("names") String other, @ForAll int number) {
        RangeTable.Entry range =
                new RangeTable.Entry(name, new RangeDefinition(3, 5, Long.MAX_VALUE), Math.abs((long) number));
        assertThat(ZooKeeperText.range(name, "/", ZooKeeperText.of(range))).isEqualTo(range);
        Instant time = Instant.ofEpochMilli(number * 1000L);
        WorkerTable.Entry slot =
                new WorkerTable.Entry(7, 1L << 40, name, other, time, time, Instant.EPOCH, time.plusMillis(1));
        assertThat(ZooKeeperText.slot(7, "/", ZooKeeperText.of(slot))).isEqualTo(slot);
        WorkerTable.Settling settling =
                new WorkerTable.Settling("run 1f", time, Duration.ofNanos(1 + (number & 0xfff)));
        WorkerTable.Group group = new WorkerTable.Group(name, other, 1024, settling, List.of());
        assertThat(ZooKeeperText.group(name, "/", ZooKeeperText.of(group))).isEqualTo(group);
    }

    @Example
    void whatAnOlderVersionWroteIsRead() {
        byte[] text = "capacity 1024\nlayout any".getBytes(StandardCharsets.UTF_8);
        assertThat(ZooKeeperText.group("name", "/", text))
                .isEqualTo(new WorkerTable.Group("name", "any", 1024, WorkerTable.Settling.NONE, List.of()));
    }

    @Example
    void badOptionsAreRefused() {
        ZooKeeperOptions options = ZooKeeperOptions.DEFAULT;
        for (String bad : List.of("", "tenon", "/", "/a/", "/a//b", "/a/../b")) {
            assertThatThrownBy(() -> options.withBasePath(bad)).as(bad).isInstanceOf(IllegalArgumentException.class);
        }
        for (Duration bad : List.of(Duration.ZERO, Duration.ofMillis(9), Duration.ofSeconds(61))) {
            assertThatThrownBy(() -> options.withRequestTimeout(bad)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> options.withSessionTimeout(bad)).isInstanceOf(IllegalArgumentException.class);
        }
        for (String bad : List.of("", "user", ":password")) {
            assertThatThrownBy(() -> options.withCredentials(bad))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageNotContaining("password\"");
        }
    }
}
