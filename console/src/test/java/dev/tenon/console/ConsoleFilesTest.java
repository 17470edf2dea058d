package dev.tenon.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.console.ConsoleFiles.File;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ConsoleFilesTest {
    private static final Pattern REFERENCE =
            Pattern.compile("(?:from ?|import )['\"]([^'\"]+)['\"]|(?:src|href)=\"(/[^\"]*)\"");

    private final List<File> files = ConsoleFiles.all();

    @Test
    void everyFileIsServedAndNothingElse() throws IOException {
        Path folder = Path.of("src/main/resources/dev/tenon/console");
        TreeSet<String> expected = new TreeSet<>();
        try (Stream<Path> found = Files.walk(folder)) {
            found.filter(Files::isRegularFile)
                    .map(file -> folder.relativize(file).toString().replace('\\', '/'))
                    .filter(name -> !name.equals("files.txt"))
                    .map(name -> name.equals("index.html") ? "/" : "/console/" + name)
                    .forEach(expected::add);
        }
        assertThat(files).extracting(File::path).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(files.get(0).path()).isEqualTo("/");
    }

    @Test
    void whatAFileAsksForIsServed() {
        for (File file : files) {
            Matcher reference = REFERENCE.matcher(text(file));
            while (reference.find()) {
                String named = reference.group(1) == null ? reference.group(2) : reference.group(1);
                String path = URI.create(file.path()).resolve(named).getPath();
                assertThat(files)
                        .as(file.path() + " asks for " + named)
                        .anyMatch(f -> f.path().equals(path));
            }
        }
    }

    /** Data and names of namespaces aside, no file of ours knows an address: the page talks to whoever served it. */
    @Test
    void nothingComesFromElsewhere() {
        for (File file : files) {
            if (!file.path().startsWith("/console/vendor/")) {
                assertThat(text(file).replace("http://www.w3.org/2000/svg", ""))
                        .as(file.path())
                        .doesNotContain("http:", "https:", "//cdn");
            }
        }
        assertThat(ConsoleFiles.POLICY).doesNotContain("unsafe", "http", "*", "data:");
    }

    @Test
    void aTagStandsForItsContent() {
        assertThat(files).extracting(File::etag).doesNotHaveDuplicates().allMatch(tag -> tag.matches("\"[\\w-]{16}\""));
        assertThat(ConsoleFiles.all())
                .extracting(File::etag)
                .containsExactlyElementsOf(files.stream().map(File::etag).toList());
    }

    private static String text(File file) {
        return new String(file.content(), StandardCharsets.UTF_8);
    }
}
