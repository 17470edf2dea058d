package dev.tenon.examples.shop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Maven, as this build was started with, in the folder of a project; it and what it started end with this JVM at the
 * latest.
 */
final class MavenRun implements AutoCloseable {
    private static final String REPOSITORY = System.getProperty("tenon.maven.repository");
    private static final String TAIL = System.getProperty("tenon.maven.tail", "");

    private final Process process;
    private final Path output;

    private MavenRun(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /**
     * Starts it. Libraries come from the repository of this build, and go there if it has to fetch them.
     *
     * @param modules a repository that has Tenon
     */
    static MavenRun start(Path project, Path modules, String... words) throws IOException {
        Path output = project.resolve("maven.log");
        List<String> command = new ArrayList<>(List.of(
                "sh",
                "-c",
                // Ends it when nobody is there any more who could close what it reads from.
                "exec 3<&0; \"$@\" </dev/null & maven=$!;"
                        + " (cat <&3 >/dev/null; kill $maven 2>/dev/null) & reader=$!; wait $maven; kill $reader 2>/dev/null",
                "sh",
                Path.of(System.getProperty("tenon.maven.home"), "bin", "mvn").toString(),
                "-B",
                "-q",
                "-ntp",
                "-Dmaven.repo.local=" + REPOSITORY,
                "-Dmaven.repo.local.tail=" + modules + (TAIL.isEmpty() || TAIL.startsWith("$") ? "" : "," + TAIL),
                "-Dmaven.repo.local.tail.ignoreAvailability=true"));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(project.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("MAVEN_"));
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        return new MavenRun(builder.start(), output);
    }

    boolean alive() {
        return process.isAlive();
    }

    /** What it, and what it started, have printed so far. */
    String output() {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            return "no output: " + e;
        }
    }

    /** Ends it and what it has started. */
    @Override
    public void close() throws IOException {
        List<ProcessHandle> family = process.descendants().toList();
        process.getOutputStream().close();
        try {
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        family.forEach(ProcessHandle::destroyForcibly);
        family.forEach(each -> each.onExit().join());
    }
}
