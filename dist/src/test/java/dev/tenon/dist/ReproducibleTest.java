package dev.tenon.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The release is packed once more, from the jars of this build, in another folder, by another user, at another time and
 * place, and has the same bytes. {@code scripts/reproducible} compares two whole builds, which takes longer than a test
 * may.
 */
@Tag("soak")
class ReproducibleTest {
    private static final Path ROOT = Path.of(System.getProperty("tenon.repository.root"));
    private static final String VERSION =
            ReleaseFiles.ARCHIVE.getFileName().toString().replaceAll("tenon-server-(.*)\\.tar\\.gz", "$1");

    @TempDir
    Path folder;

    @Test
    void packingItAgainElsewhereGivesTheSameBytes() throws Exception {
        Path elsewhere = Files.createDirectories(folder.resolve("another folder/deeper"));
        for (String part : List.of("pom.xml", "LICENSE", "NOTICE", ".mvn", "dist/pom.xml", "dist/src/main")) {
            copy(ROOT.resolve(part), elsewhere.resolve(part));
        }
        Path repository = folder.resolve("repository");
        installModules(repository);
        ProcessBuilder builder = new ProcessBuilder(
                        "/bin/sh",
                        "-c",
                        "umask 002 && exec \"$@\"",
                        "sh",
                        Path.of(System.getProperty("tenon.maven.home"), "bin/mvn")
                                .toString(),
                        "-B",
                        "-q",
                        "-f",
                        elsewhere.resolve("dist/pom.xml").toString(),
                        "-Dmaven.test.skip=true",
                        "-Dmaven.repo.local=" + repository,
                        "-Dmaven.repo.local.tail=" + repositories(),
                        "-Dmaven.repo.local.tail.ignoreAvailability=true",
                        "package")
                .directory(elsewhere.toFile())
                .redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("MAVEN_"));
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("TZ", "Pacific/Chatham");
        builder.environment().put("LC_ALL", "C");
        builder.environment().put("MAVEN_OPTS", "-Duser.name=somebody -Duser.language=tr -Duser.country=TR");
        Process maven = builder.start();
        maven.getOutputStream().close();
        String output = new String(maven.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(maven.waitFor()).as(output).isZero();
        for (Path file : List.of(ReleaseFiles.SBOM, ReleaseFiles.ARCHIVE, ReleaseFiles.JAR)) {
            assertThat(elsewhere.resolve("dist/target").resolve(file.getFileName()))
                    .hasSameBinaryContentAs(file);
        }
    }

    /** The modules of this build, with their POMs, as Maven would install them. */
    private static void installModules(Path repository) throws IOException {
        Path modules = repository.resolve("dev/tenon");
        copy(ROOT.resolve("pom.xml"), modules.resolve("tenon/" + VERSION + "/tenon-" + VERSION + ".pom"));
        List<Path> jars = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .filter(path -> path.getFileName().toString().matches("tenon-.*\\.jar"))
                .toList();
        assertThat(jars).hasSizeGreaterThan(5);
        // It writes its own checksums into the bill of materials, of the jar in the first repository if there is one.
        Path plugin = Path.of("org/cyclonedx/cyclonedx-maven-plugin");
        Path local = Path.of(System.getProperty("tenon.maven.repository"));
        if (Files.isDirectory(local.resolve(plugin))) {
            copy(local.resolve(plugin), repository.resolve(plugin));
        }
        for (Path jar : jars) {
            String name = jar.getFileName().toString().replace("-" + VERSION + ".jar", "");
            Path target = modules.resolve(name).resolve(VERSION);
            copy(jar, target.resolve(jar.getFileName()));
            copy(pom(name), target.resolve(name + "-" + VERSION + ".pom"));
        }
    }

    private static Path pom(String artifact) throws IOException {
        for (String line : Files.readAllLines(ROOT.resolve("pom.xml"))) {
            Path pom = ROOT.resolve(line.replaceAll(".*<module>(.*)</module>.*|.*", "$1"))
                    .resolve("pom.xml");
            if (line.contains("<module>")
                    && Files.readString(pom).contains("  <artifactId>" + artifact + "</artifactId>\n  <name>")) {
                return pom;
            }
        }
        throw new IllegalStateException("No module is " + artifact);
    }

    /** Where this build has its plugins and libraries. */
    private static String repositories() {
        String tail = System.getProperty("tenon.maven.tail", "");
        String local = System.getProperty("tenon.maven.repository");
        return tail.isEmpty() || tail.startsWith("$") ? local : local + "," + tail;
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> paths = Files.walk(from)) {
            for (Path path : paths.toList()) {
                Path copy = to.resolve(from.relativize(path).toString());
                if (Files.isDirectory(path)) {
                    Files.createDirectories(copy);
                } else {
                    Files.createDirectories(copy.getParent());
                    Files.copy(path, copy);
                }
            }
        }
    }
}
