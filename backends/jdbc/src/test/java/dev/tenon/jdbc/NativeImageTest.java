package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a native image is told of this module. */
class NativeImageTest {
    private static final Pattern INCLUDED = Pattern.compile("\"pattern\": \"([^\"]+)\"");

    @Test
    void everyFileThatIsReadIsInAnImage() throws Exception {
        Path resources = Path.of("src/main/resources");
        Path config = resources.resolve("META-INF/native-image/dev.tenon/tenon-jdbc/resource-config.json");
        Matcher included = INCLUDED.matcher(Files.readString(config));
        assertThat(included.find()).isTrue();
        Pattern pattern = Pattern.compile(included.group(1).replace("\\\\", "\\"));
        try (Stream<Path> files = Files.walk(resources)) {
            List<String> read = files.filter(Files::isRegularFile)
                    .map(file -> resources.relativize(file).toString())
                    .filter(file -> !file.startsWith("META-INF"))
                    .toList();
            assertThat(read).hasSizeGreaterThan(50).allMatch(pattern.asMatchPredicate());
        }
    }
}
