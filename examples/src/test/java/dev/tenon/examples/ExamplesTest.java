package dev.tenon.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.examples.transactions.RemoteParticipants;
import dev.tenon.testkit.ForkedJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every example runs as it is: it says something, complains of nothing but what it shows, and ends well. */
class ExamplesTest {
    private static final Path SOURCES = Path.of("src/main/java");
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    /** What those say in the log that show what is refused. */
    private static final Map<String, String> COMPLAINTS =
            Map.of(RemoteParticipants.class.getName(), "only signed calls are taken here");

    @ParameterizedTest
    @MethodSource("mains")
    void runs(String main) throws Exception {
        try (ForkedJvm example = ForkedJvm.start(Class.forName(main), ForkedJvm.withoutWarnings())) {
            example.closeInput();

            assertThat(example.awaitExit(PATIENCE)).as(example::errors).isZero();
            assertThat(example.lines()).isNotEmpty();
            String complaint = COMPLAINTS.get(main);
            if (complaint == null) {
                assertThat(example.errors()).isEmpty();
            } else {
                assertThat(example.errors()).contains(complaint);
            }
        }
    }

    @Test
    void theHolderThatWasPausedIsRefused() throws Exception {
        assertThat(linesOf(FencedWrites.class))
                .containsExactly(
                        "Sold; 9 left",
                        "Refused: a later holder has been there",
                        "The guarded column lets an old token sell: false");
        assertThat(linesOf(FencedRequests.class))
                .containsExactly(
                        "Token 33: 204",
                        "Token 34, the next holder: 204",
                        "Token 34 again: 204",
                        "Token 33, after its pause: 412",
                        "No number: 400");
    }

    private static List<String> linesOf(Class<?> main) throws Exception {
        try (ForkedJvm example = ForkedJvm.start(main)) {
            example.closeInput();
            assertThat(example.awaitExit(PATIENCE)).as(example::errors).isZero();
            return example.lines();
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
