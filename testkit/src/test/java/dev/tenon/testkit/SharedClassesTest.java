package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedClassesTest {
    private static final String MAIN = Waiter.class.getName();

    @TempDir
    private Path folder;

    private Path classes;

    /** A program that needs a library, and a class of a module of the build. */
    static final class Waiter {
        private Waiter() {}

        public static void main(String[] arguments) {
            Awaitility.await()
                    .until(() -> Programs.onPath("no-such-program-here").isEmpty());
        }
    }

    @BeforeEach
    void aFolderOfItsOwn() {
        classes = folder.resolve("classes");
    }

    private String sourceOfLibrary() throws Exception {
        return source("org.awaitility.Awaitility");
    }

    /** Starts the program and tells where a class came from. */
    private String source(String loaded) throws Exception {
        Path log = folder.resolve("log");
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC"));
        command.addAll(SharedClasses.optionsFor(MAIN, classes, SharedClasses.frozen(classes)));
        command.addAll(List.of("-Xlog:class+load:file=" + log, MAIN));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("out").toFile())
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue())
                .as(Files.readString(folder.resolve("out")))
                .isZero();
        return Files.readAllLines(log).stream()
                .filter(line -> line.contains(loaded + " "))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void afterThreeStartsLibrariesComeFromAnArchive() throws Exception {
        assertThat(sourceOfLibrary()).doesNotContain("shared objects file");
        sourceOfLibrary();
        sourceOfLibrary();
        aWhilePasses();
        assertThat(sourceOfLibrary()).contains("shared objects file");
        assertThat(source(Programs.class.getName())).contains("shared objects file");
    }

    @Test
    void aModuleThatHasChangedIsAnotherOne() throws Exception {
        Path module = Files.createDirectories(folder.resolve("module/target/classes/name"));
        List<String> classPath =
                List.of(module.getParent().toString(), folder.resolve("a.jar").toString());
        Files.createDirectories(classes);
        Path file = Files.writeString(module.resolve("a.txt"), "before");
        List<String> before = FrozenModules.of(classPath, classes);
        assertThat(FrozenModules.of(classPath, classes)).isEqualTo(before);
        List<String> asJar =
                List.of(folder.resolve("module/target/module-1.jar").toString());
        assertThat(FrozenModules.of(asJar, classes)).containsExactly(before.get(0));
        assertThat(before.get(1)).isEqualTo(classPath.get(1));
        Files.writeString(file, "after it");
        List<String> after = FrozenModules.of(classPath, classes);
        assertThat(textIn(before.get(0))).isEqualTo("before");
        assertThat(textIn(after.get(0))).isEqualTo("after it");
    }

    private static String textIn(String jar) throws Exception {
        try (JarFile open = new JarFile(jar)) {
            return new String(
                    open.getInputStream(open.getJarEntry("name/a.txt")).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void whoeverWasKilledAtOnceHasNoSay() throws Exception {
        SharedClasses.optionsFor(MAIN, classes, SharedClasses.frozen(classes)); // and it wrote nothing down
        sourceOfLibrary();
        SharedClasses.optionsFor(MAIN, classes, SharedClasses.frozen(classes));
        aWhilePasses();
        assertThat(sourceOfLibrary()).contains("shared objects file");
    }

    /** As three servers of a cluster do when a fourth starts at once. */
    @Test
    void whoeverStillStartsHasNoSay() throws Exception {
        for (int start = 0; start < 3; start++) {
            sourceOfLibrary();
        }
        for (Path loaded : loaded()) {
            Files.setLastModifiedTime(loaded, FileTime.from(Instant.now().plus(Duration.ofHours(1))));
        }
        assertThat(sourceOfLibrary()).doesNotContain("shared objects file");
        aWhilePasses();
        assertThat(sourceOfLibrary()).contains("shared objects file");
    }

    private void aWhilePasses() throws Exception {
        for (Path loaded : loaded()) {
            Files.setLastModifiedTime(loaded, FileTime.from(Instant.now().minus(Duration.ofMinutes(1))));
        }
    }

    private List<Path> loaded() throws Exception {
        try (Stream<Path> files = Files.list(classes)) {
            return files.filter(file -> file.getFileName().toString().contains(".loaded"))
                    .toList();
        }
    }
}
