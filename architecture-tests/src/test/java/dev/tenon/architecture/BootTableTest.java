package dev.tenon.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

/**
 * The table of Spring Boot, backends and JDKs, which scripts/compatibility-boot writes, is about the versions that the
 * POM has now.
 */
class BootTableTest {
    private static final List<String> JDKS = List.of("17", "25");
    private static final int BACKENDS = 6;

    private final Document root = pom("pom.xml");
    private final List<List<String>> table = table();

    @Test
    void eachLineOnEachJdkHasARowAndNoOther() {
        assertThat(table.stream().skip(2).map(row -> row.get(0) + " on " + row.get(1)))
                .containsExactlyElementsOf(Stream.of("spring-boot.version", "spring-boot3.version")
                        .map(version -> Repository.text(root, version))
                        .flatMap(version -> JDKS.stream().map(jdk -> version + " on " + jdk))
                        .toList());
    }

    @Test
    void theLibrariesAreThoseThatAreTested() {
        Document newer = pom("spring/pom.xml");
        String before = Repository.text(root, "spring-boot3.version");
        for (List<String> row : table.subList(2, table.size())) {
            boolean older = row.get(0).equals(before);
            assertThat(row.subList(2, 5))
                    .containsExactly(
                            older
                                    ? Repository.text(root, "boot3.lettuce.version")
                                    : Repository.text(newer, "lettuce.version"),
                            older
                                    ? Repository.text(root, "boot3.netty.version")
                                    : Repository.text(newer, "netty.version"),
                            older ? Repository.text(root, "grpc.version") : Repository.text(newer, "grpc.version"));
        }
    }

    @Test
    void everythingPassed() {
        assertThat(table.get(0).subList(5, 5 + BACKENDS))
                .containsExactly("memory", "jdbc", "redis", "zookeeper", "etcd", "server");
        for (List<String> row : table.subList(2, table.size())) {
            assertThat(row.subList(5, 5 + BACKENDS)).containsOnly("passed");
            assertThat(row.get(5 + BACKENDS)).matches("\\d+ passed");
            assertThat(row.get(6 + BACKENDS)).matches(row.get(1).equals("17") ? "–" : "\\d+ passed");
            assertThat(row.get(7 + BACKENDS)).matches("\\d{4}-\\d{2}-\\d{2}");
        }
    }

    private static Document pom(String file) {
        return Repository.xml(Repository.ROOT.resolve(file));
    }

    /** Its header, a line of dashes, and its rows, as cells. */
    private static List<List<String>> table() {
        String page = Repository.read(Repository.ROOT.resolve("docs/compatibility.md"));
        return page.substring(page.indexOf("<!-- boot:begin -->"), page.indexOf("<!-- boot:end -->"))
                .lines()
                .filter(line -> line.startsWith("|"))
                .map(line -> Arrays.stream(line.substring(1).split("\\|"))
                        .map(String::strip)
                        .toList())
                .toList();
    }
}
