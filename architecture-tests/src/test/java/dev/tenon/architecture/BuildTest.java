package dev.tenon.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.architecture.Repository.Module;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;

/** What the POMs must say, and what a build from them must look like. */
class BuildTest {
    @TempDir
    Path folder;

    @Test
    void everyArchiveHasTheTimeOfTheRootPom() throws IOException {
        Instant time = Instant.parse(
                Repository.text(Repository.xml(Repository.ROOT.resolve("pom.xml")), "project.build.outputTimestamp"));
        List<String> strays = new ArrayList<>();
        List<Path> archives = archives();
        for (Path archive : archives) {
            strays.addAll(entriesOfAnotherTime(archive, time));
        }
        assertThat(strays).isEmpty();
        // In a build up to verify, the modules are on the class path as archives, and none may have been missed.
        assertThat(archives).containsAll(archivesOnTheClassPath());
    }

    @Test
    void findsAnEntryOfAnotherTime() throws IOException {
        Path archive = folder.resolve("stray.jar");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(archive))) {
            zip.putNextEntry(entry("on-time", "2026-11-21T00:00:00"));
            zip.putNextEntry(entry("stray", "2026-11-21T00:00:02"));
        }
        assertThat(entriesOfAnotherTime(archive, Instant.parse("2026-11-21T00:00:00Z")))
                .containsExactly("stray.jar: stray");
    }

    @Test
    void noDriverIsAllowedUnderAnAlgorithm() {
        List<Module> algorithms = Repository.modules().stream()
                .filter(module -> module.path().equals("core") || module.path().startsWith("capabilities/"))
                .toList();
        assertThat(algorithms).extracting(Module::name).contains("core", "id", "lock", "ring");
        assertThat(algorithms).allSatisfy(module -> {
            Document pom = Repository.xml(module.dir().resolve("pom.xml"));
            assertThat(Repository.text(pom, "tenon.drivers.allowed"))
                    .as("tenon.drivers.allowed in %s, which switches the ban of drivers on", module.path())
                    .isEqualTo("false");
        });
    }

    @Test
    void versionsAreOnlyInTheRootPom() {
        for (Module module : Repository.modules()) {
            // The BOM stands alone, and its versions are the project's own.
            if (!module.path().equals("bom")) {
                String pom = Repository.read(module.dir().resolve("pom.xml"));
                List<String> versions = pom.lines()
                        .filter(line -> line.contains("<version>") && !line.contains("<version>${"))
                        .map(String::strip)
                        .toList();
                assertThat(versions)
                        .as("versions in %s other than its parent's", module.path())
                        .containsExactly("<version>0.1.0-SNAPSHOT</version>");
            }
        }
    }

    private static List<Path> archives() {
        List<Path> archives = new ArrayList<>();
        for (Module module : Repository.modules()) {
            Path target = module.dir().resolve("target");
            // Ours lie there themselves; what lies deeper may be a copy of somebody else's.
            Repository.files(target, ".jar").stream()
                    .filter(file -> file.getParent().equals(target))
                    .forEach(archives::add);
        }
        return archives;
    }

    private static List<Path> archivesOnTheClassPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .filter(path -> path.getFileName().toString().matches("tenon-.*\\.jar"))
                .toList();
    }

    private static List<String> entriesOfAnotherTime(Path archive, Instant time) throws IOException {
        // Archives have local time without a zone, and Maven writes UTC.
        LocalDateTime expected = LocalDateTime.ofInstant(time, ZoneOffset.UTC);
        try (ZipFile zip = new ZipFile(archive.toFile())) {
            return zip.stream()
                    .filter(entry -> isOurs(archive, entry))
                    .filter(entry -> !entry.getTimeLocal().equals(expected))
                    .map(entry -> archive.getFileName() + ": " + entry.getName())
                    .toList();
        }
    }

    /** What the runnable jar has from libraries keeps the time that it has there, which is as reproducible. */
    private static boolean isOurs(Path archive, ZipEntry entry) {
        return !archive.getFileName().toString().endsWith("-all.jar")
                || entry.getName().matches("dev/tenon/.*|META-INF/(MANIFEST\\.MF|maven/dev\\.tenon/.*)");
    }

    private static ZipEntry entry(String name, String time) {
        ZipEntry entry = new ZipEntry(name);
        entry.setTimeLocal(LocalDateTime.parse(time));
        return entry;
    }
}
