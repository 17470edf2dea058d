package dev.tenon.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.architecture.Repository.Source;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Each row of the threat model names tests that are there. */
class ThreatModelTest {
    private static final Pattern TEST = Pattern.compile("`(\\w+Test)`");

    @Test
    void everyRowNamesTestsThatExist() throws IOException {
        String page = Files.readString(Repository.ROOT.resolve("docs/server/security.md"));
        String model = page.substring(page.indexOf("## Threat model"), page.indexOf("What is **not** held"));
        List<String> tests = Repository.modules().stream()
                .flatMap(module -> module.testSources().stream())
                .map(Source::file)
                .toList();
        List<String> rows = model.lines()
                .filter(line -> line.startsWith("| ") && !line.endsWith("| test |"))
                .toList();
        assertThat(rows).hasSizeGreaterThan(20);
        for (String row : rows) {
            List<String> named =
                    TEST.matcher(row).results().map(name -> name.group(1)).toList();
            assertThat(named)
                    .as(row)
                    .isNotEmpty()
                    .allSatisfy(test -> assertThat(tests).anyMatch(file -> file.endsWith("/" + test + ".java")));
        }
    }
}
