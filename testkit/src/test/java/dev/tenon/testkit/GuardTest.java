package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The guard's script by itself; what it does for a whole JVM is in {@link ForkedJvmTest}. */
class GuardTest {
    @TempDir
    private Path folder;

    @Test
    void killsWhomItNotedAndRunsTheCleanup() throws Exception {
        Process child = run("FAMILY");
        Files.writeString(folder.resolve("root/child/cleanup"), "echo done > " + folder.resolve("cleaned"));
        watchToItsEnd();
        assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(folder.resolve("root")).doesNotExist();
        assertThat(folder.resolve("cleaned")).hasContent("done");
    }

    @ParameterizedTest
    @ValueSource(strings = {"%1$d 1 FAMILY\n", "%1$d\n", "\n", ""})
    void sparesAStrangerWithTheSameProcessIdAndBearsATornNote(String note) throws Exception {
        Process child = run("ALONE");
        Files.writeString(folder.resolve("root/child/pid"), note.formatted(child.pid()));
        watchToItsEnd();
        assertThat(child.isAlive()).isTrue();
        child.destroyForcibly();
        assertThat(folder.resolve("root")).doesNotExist();
    }

    private Process run(String reach) throws Exception {
        Path root = Files.createDirectory(folder.resolve("root"));
        Path home = Files.createDirectory(root.resolve("child"));
        try (InputStream in = Objects.requireNonNull(Guard.class.getResourceAsStream("guard.sh"))) {
            Files.copy(in, root.resolve("guard.sh"));
        }
        Process child = new ProcessBuilder(
                        "sh",
                        root.resolve("guard.sh").toString(),
                        "run",
                        home.toString(),
                        reach,
                        "sh",
                        "-c",
                        "echo up; read -r _")
                .start();
        assertThat(child.inputReader().readLine()).isEqualTo("up");
        return child;
    }

    private void watchToItsEnd() throws Exception {
        Process guard = new ProcessBuilder(
                        "sh",
                        folder.resolve("root/guard.sh").toString(),
                        "watch",
                        folder.resolve("root").toString())
                .start();
        guard.getOutputStream().close();
        assertThat(guard.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }
}
