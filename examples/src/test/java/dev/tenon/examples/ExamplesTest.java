package dev.tenon.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.testkit.ForkedJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every example runs as it is: it says something, complains of nothing, and ends well. */
class ExamplesTest {
    private static final Path SOURCES = Path.of("src/main/java");

    @ParameterizedTest
    @MethodSource("mains")
    void runs(String main) throws Exception {
        try (ForkedJvm example = ForkedJvm.start(Class.forName(main))) {
            example.closeInput();

            assertThat(example.awaitExit(Duration.ofSeconds(60)))
                    .as(example::errors)
                    .isZero();
            assertThat(example.lines()).isNotEmpty();
            assertThat(example.errors()).isEmpty();
        }
    }

    @Test
    void thereAreExamples() throws IOException {
        assertThat(mains()).contains(QuickStartLock.class.getName(), "dev.tenon.examples.flashsale.FlashSale");
    }

    /** All public classes with a main method. */
    static List<String> mains() throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(ExamplesTest::isProgram)
                    .map(SOURCES::relativize)
                    .map(Path::toString)
                    .map(name -> name.replace(".java", "").replace('/', '.'))
                    .sorted()
                    .toList();
        }
    }

    private static boolean isProgram(Path file) {
        try {
            String source = Files.readString(file);
            return source.contains("public static void main(") && source.contains("\npublic final class ");
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
