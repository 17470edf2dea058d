package dev.tenon.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.architecture.Repository.Source;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What the test command leaves out is on the page of guarantees, which says when it last ran. */
class SoakTest {
    private static final Pattern TEST = Pattern.compile("`(\\w+Test)`");

    @Test
    void everyTestThatIsLeftOutIsOnThePage() throws IOException {
        String page = Files.readString(Repository.ROOT.resolve("docs/guarantees.md"));
        String table = page.substring(page.indexOf("### What soak-faults runs"), page.indexOf("### Histories"));
        Set<String> listed =
                TEST.matcher(table).results().map(name -> name.group(1)).collect(Collectors.toCollection(TreeSet::new));
        Set<String> tagged = Repository.modules().stream()
                .flatMap(module -> module.testSources().stream())
                .filter(source -> source.text().contains("@Tag(\"soak\")"))
                .map(SoakTest::name)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(listed).isEqualTo(tagged).isNotEmpty();
        assertThat(page).containsPattern("`scripts/soak-faults`[^|]*\\| \\d{4}-\\d{2}-\\d{2}");
    }

    private static String name(Source source) {
        return Path.of(source.file()).getFileName().toString().replace(".java", "");
    }
}
