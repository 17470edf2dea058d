package dev.tenon.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code tenon}, with stand-ins for Java and Maven that say how they are called. */
class LauncherTest {
    /** By which a JVM from 24 on does not warn of what libraries do; older ones know neither, or not both. */
    private static final String[] QUIET = {"--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"
    };

    private static final List<String> TOOLS = List.of(
            "sh", "dirname", "readlink", "sed", "head", "grep", "mkdir", "rm", "cat", "date", "touch", "sleep", "pwd");

    @TempDir
    private Path folder;

    private Path home;
    private Path bin;

    private record Run(int exitCode, List<String> out, String err) {}

    @BeforeEach
    void layOut() throws IOException {
        home = Files.createDirectories(folder.resolve("ten on"));
        bin = Files.createDirectories(folder.resolve("bin"));
        Files.copy(Path.of("..", "tenon"), home.resolve("tenon"));
        assertThat(home.resolve("tenon").toFile().setExecutable(true)).isTrue();
        for (String tool : TOOLS) {
            for (String where : List.of("/usr/bin", "/bin")) {
                Path program = Path.of(where, tool);
                if (Files.isExecutable(program) && !Files.exists(bin.resolve(tool))) {
                    script(bin.resolve(tool), "exec " + program + " \"$@\"");
                }
            }
        }
        script(
                home.resolve("mvnw"),
                "echo mvnw \"$@\" >>\"" + home + "/calls\"; mkdir -p server/target/lib cli/target/lib");
    }

    private void java(String version, String modules) throws IOException {
        script(
                bin.resolve("java"),
                "case $1 in -version) echo 'openjdk version \"" + version + "\" 2022-01-01' >&2;; --list-modules) echo "
                        + modules + ";; *) for word; do echo \"$word\"; done;; esac");
    }

    private static void script(Path file, String text) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + text + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private Run run(Path program, Map<String, String> environment, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectError(folder.resolve("err").toFile());
        builder.environment().clear();
        builder.environment().put("PATH", bin.toString());
        builder.environment().putAll(environment);
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int exitCode = process.waitFor();
        return new Run(exitCode, out.lines().toList(), Files.readString(folder.resolve("err")));
    }

    private Optional<String> mavenCall() throws IOException {
        Path calls = home.resolve("calls");
        return Files.exists(calls) ? Optional.of(Files.readString(calls)) : Optional.empty();
    }

    @Test
    void withoutJavaItSaysWhatToInstall() throws Exception {
        Run run = run(home.resolve("tenon"), Map.of(), "id", "ls");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("no java").contains("JDK 17");
        Run wrongHome = run(home.resolve("tenon"), Map.of("JAVA_HOME", "/nowhere"), "id", "ls");
        assertThat(wrongHome.err()).contains("JAVA_HOME is /nowhere");
    }

    @Test
    void anOldJavaIsRefused() throws Exception {
        for (String old : List.of("11.0.2", "1.8.0_312")) {
            java(old, "jdk.compiler@11");
            Run run = run(home.resolve("tenon"), Map.of(), "server");
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err()).contains("17 or newer");
        }
        assertThat(mavenCall()).isEmpty();
    }

    @Test
    void aJavaWithoutACompilerIsRefused() throws Exception {
        java("17.0.1", "java.base@17");
        Run run = run(home.resolve("tenon"), Map.of(), "server");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("JRE");
    }

    @Test
    void aBuildThatFailsIsSaidAndTriedAgain() throws Exception {
        java("17.0.1", "jdk.compiler@17");
        script(home.resolve("mvnw"), "echo 'no network' >&2; exit 1");
        for (int i = 0; i < 2; i++) {
            Run run = run(home.resolve("tenon"), Map.of(), "id", "ls");
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err()).contains("no network").contains("the build failed");
            assertThat(run.out()).isEmpty();
        }
    }

    @Test
    void whatTheServerWritesIsForItsUserAlone() throws Exception {
        script(
                bin.resolve("java"),
                "case $1 in -version) echo 'openjdk version \"17.0.1\" 2022-01-01' >&2;; --list-modules) echo jdk.compiler;;"
                        + " *) umask;; esac");
        Path dist = Path.of("..", "dist", "src", "main", "dist", "bin", "tenon").toAbsolutePath();
        for (Path program : List.of(home.resolve("tenon"), dist)) {
            for (String command : List.of("server", "restore")) {
                Run run = run(program, Map.of(), command);
                assertThat(run.out())
                        .as("%s %s: %s", program, command, run.err())
                        .containsExactly("0077");
            }
            assertThat(run(program, Map.of(), "lock", "run", "x", "--", "true").out())
                    .as("CMD has the caller's")
                    .doesNotContain("0077");
        }
    }

    @Test
    void itBuildsOnceAndHandsOver() throws Exception {
        java("25", "jdk.compiler@25");
        Run first = run(home.resolve("tenon"), Map.of(), "id", "next", "a b");
        assertThat(first.exitCode()).as(first.err()).isZero();
        assertThat(mavenCall().orElse("")).contains("-pl server,cli -am package");
        assertThat(first.out()).endsWith("dev.tenon.cli.TenonCli", "id", "next", "a b");
        Run second = run(home.resolve("tenon"), Map.of("TENON_JAVA_OPTS", "-Xmx1g -Da=b"), "server", "--port", "0");
        assertThat(second.err()).isEmpty();
        assertThat(second.out())
                .contains(QUIET)
                .contains("-Xmx1g", "-Da=b")
                .endsWith("dev.tenon.server.TenonServer", "--port", "0");
        assertThat(run(home.resolve("tenon"), Map.of(), "restore", "f").out())
                .endsWith("dev.tenon.server.TenonRestore", "f");
        assertThat(run(home.resolve("tenon"), Map.of(), "key", "ls").out()).endsWith("dev.tenon.server.TenonKey", "ls");
        assertThat(mavenCall().orElse("").lines()).hasSize(1);
        java("17.0.1", "jdk.compiler@17");
        assertThat(run(home.resolve("tenon"), Map.of(), "server").out()).doesNotContain(QUIET);
        assertThat(run(home.resolve("tenon"), Map.of(), "build").exitCode()).isZero();
        assertThat(mavenCall().orElse("").lines()).hasSize(2);
    }

    @Test
    void itSaysWhichOutputsAPersonSees() throws Exception {
        java("17.0.1", "jdk.compiler@17");
        String tenon = home.resolve("tenon").toString();
        assertThat(run(Path.of(tenon), Map.of(), "id", "ls").out()).contains("-Dtenon.terminals=");
        for (String end : List.of("=out,err", " 2>/dev/null=out", " >/dev/stderr=out,err", " | cat=,err")) {
            String redirect = end.substring(0, end.indexOf('='));
            String seen = end.substring(end.indexOf('=') + 1);
            // script(1) gives it a terminal of its own.
            Run run = run(
                    Path.of("/usr/bin/script"),
                    Map.of("SHELL", "/bin/sh"),
                    "-qec",
                    "'" + tenon + "' id ls" + redirect,
                    "/dev/null");
            assertThat(run.out()).as("%s: %s", redirect, run.err()).contains("-Dtenon.terminals=" + seen);
        }
    }

    @Test
    void aSymbolicLinkLeadsHome() throws Exception {
        java("17.0.1", "jdk.compiler@17");
        Path link = Files.createSymbolicLink(bin.resolve("tenon"), Path.of("..", "ten on", "tenon"));
        Run run = run(link, Map.of(), "--help");
        assertThat(run.exitCode()).as(run.err()).isZero();
        String cli = home.resolve("cli").toRealPath().toString();
        assertThat(run.out()).anyMatch(word -> word.startsWith(cli));
    }
}
