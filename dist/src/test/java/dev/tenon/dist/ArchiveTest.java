package dev.tenon.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The released archive and the runnable jar: what is in them runs, and what their files name is there. */
class ArchiveTest {
    private static final Path ARCHIVE = Path.of(System.getProperty("tenon.archive"));
    private static final Pattern LISTENS = Pattern.compile("Tenon listens on http://127\\.0\\.0\\.1:(\\d+) .*");

    @TempDir
    static Path folder;

    private static Path home;

    private record Ended(int exitCode, String output) {}

    @BeforeAll
    static void unpack() throws Exception {
        Ended tar = run(List.of("tar", "-xzf", ARCHIVE.toString(), "-C", folder.toString()));
        assertThat(tar.exitCode()).as(tar.output()).isZero();
        try (Stream<Path> inside = Files.list(folder)) {
            home = inside.toList().get(0);
        }
        assertThat(ARCHIVE.getFileName()).hasToString(home.getFileName() + ".tar.gz");
    }

    private static ProcessBuilder builder(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        return builder;
    }

    private static Ended run(List<String> command) throws IOException, InterruptedException {
        Process process = builder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), output);
    }

    static Stream<List<String>> doors() {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return Stream.of(
                List.of(home.resolve("bin/tenon").toString()), List.of(java, "-jar", System.getProperty("tenon.jar")));
    }

    private static List<String> and(List<String> tenon, String... words) {
        return Stream.concat(tenon.stream(), Stream.of(words)).toList();
    }

    @ParameterizedTest
    @MethodSource("doors")
    void itsServerAnswersItsOwnCommandLineAndStopsInAnOrderlyWay(List<String> tenon, @TempDir Path data)
            throws Exception {
        Process server = builder(and(
                        tenon,
                        "server",
                        "--port",
                        "0",
                        "--data",
                        data.resolve("old").toString()))
                .redirectError(folder.resolve("log").toFile())
                .start();
        try {
            BufferedReader out = server.inputReader(StandardCharsets.UTF_8);
            String greeting = CompletableFuture.supplyAsync(
                            () -> out.lines().findFirst().orElse(""))
                    .get(60, TimeUnit.SECONDS);
            Matcher listens = LISTENS.matcher(greeting);
            assertThat(listens.matches())
                    .as("%s %s", greeting, Files.readString(folder.resolve("log")))
                    .isTrue();
            String url = "http://127.0.0.1:" + listens.group(1);
            assertThat(fetch(url + "/readyz")).isEqualTo(200);
            assertThat(fetch(url + "/metrics")).isEqualTo(200);
            Ended id = run(and(tenon, "id", "next", "--server", url));
            assertThat(id.output().strip()).matches("[0-9]+");
            Ended backup = run(and(tenon, "backup", data.resolve("file").toString(), "--server", url));
            assertThat(backup.exitCode()).as(backup.output()).isZero();
            Ended restore = run(and(
                    tenon,
                    "restore",
                    data.resolve("file").toString(),
                    "--data",
                    data.resolve("new").toString(),
                    "--nothing-since"));
            assertThat(restore.exitCode()).as(restore.output()).isZero();
            assertThat(data.resolve("new/VERSION")).exists();
        } finally {
            server.destroy();
            if (!server.waitFor(60, TimeUnit.SECONDS)) {
                server.destroyForcibly();
            }
        }
        assertThat(server.exitValue()).isZero();
        assertThat(folder.resolve("log")).content().doesNotContain("A restricted method");
        if (tenon.size() == 1) {
            assertThat(folder.resolve("log")).content().doesNotContain("WARNING:");
        }
    }

    @Test
    void theDriverOfMySqlIsNotInItAndFoundWhereThePageSays() throws Exception {
        String[] overMySql = {"server", "--port", "0", "--store", "jdbc:mysql://127.0.0.1:1/shop"};
        List<String> archive = List.of(home.resolve("bin/tenon").toString());
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Path driver = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .filter(entry -> entry.getFileName().toString().startsWith("mysql-connector-j-"))
                .findFirst()
                .orElseThrow();
        Ended without = run(and(archive, overMySql));
        assertThat(without.exitCode()).as(without.output()).isEqualTo(5);
        assertThat(without.output()).contains("add com.mysql:mysql-connector-j", "folder lib", "docs/server/stores.md");

        Path added = Files.copy(driver, home.resolve("lib").resolve(driver.getFileName()));
        try {
            assertReachesForItsStore(run(and(archive, overMySql)));
        } finally {
            Files.delete(added);
        }
        String both = System.getProperty("tenon.jar") + File.pathSeparator + driver;
        assertReachesForItsStore(run(and(List.of(java, "-cp", both, "dev.tenon.dist.Tenon"), overMySql)));
    }

    private static void assertReachesForItsStore(Ended ended) {
        assertThat(ended.exitCode()).as(ended.output()).isEqualTo(5);
        assertThat(ended.output()).contains("Is it up").doesNotContain("No driver");
    }

    @Test
    void itMakesAKeyForItsServer() throws Exception {
        Ended made = run(List.of(
                home.resolve("bin/tenon").toString(), "key", "create", "shop", "--role", "use", "--api-keys", "keys"));
        assertThat(made.exitCode()).as(made.output()).isZero();
        assertThat(folder.resolve("keys")).content().contains("shop");
    }

    private static int fetch(String url) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.discarding())
                .statusCode();
    }

    @Test
    void whatTheContainerfileCopiesIsThere() throws IOException {
        List<String> copied = new ArrayList<>();
        for (String line : Files.readAllLines(home.resolve("Containerfile"))) {
            if (line.startsWith("COPY ")) {
                String[] words = line.split(" ");
                copied.addAll(List.of(words).subList(1, words.length - 1));
            }
            if (line.startsWith("ENTRYPOINT ")) {
                assertThat(home.resolve(line.replaceAll(".*\"/opt/tenon/(.*)\"].*", "$1")))
                        .isExecutable();
            }
        }
        assertThat(copied)
                .contains("bin", "lib")
                .allSatisfy(path -> assertThat(home.resolve(path)).exists());
    }

    @Test
    void theUnitStartsWhatIsThere() throws Exception {
        Path unit = home.resolve("systemd/tenon.service");
        String text = Files.readString(unit);
        assertThat(text).contains("ExecStart=/opt/tenon/bin/tenon server ");
        assertThat(home.resolve("systemd/tenon.env")).exists();
        Path checker = Path.of("/usr/bin/systemd-analyze");
        if (Files.isExecutable(checker)) {
            Path copy = folder.resolve("tenon.service");
            Files.writeString(copy, text.replace("/opt/tenon", home.toString()));
            Ended verified = run(List.of(checker.toString(), "verify", "--man=no", copy.toString()));
            assertThat(verified.output()).doesNotContain("tenon.service:");
        }
    }
}
