package dev.tenon.architecture;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the build fetches is what was chosen: Maven itself, what Maven fetches, and the libraries of the console. */
class SupplyChainTest {
    private static final byte[] NOT_MAVEN = "not Maven".getBytes(UTF_8);
    private static final String SUM = "distributionSha256Sum(TarGz)?=[0-9a-f]{64}";

    @TempDir
    Path folder;

    private record Ended(int exitCode, String output) {}

    private static Ended run(Path folder, Map<String, String> environment, List<String> command) throws Exception {
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.matches("(?i)MAVEN_.*|MVNW_.*|.*_proxy"));
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        return new Ended(process.waitFor(), output);
    }

    @ParameterizedTest
    @CsvSource({"zip, true", "zip, false", "tar.gz, true", "tar.gz, false"})
    void theWrapperRunsNoMavenButTheOneThatWasChosen(String archive, boolean chosen) throws Exception {
        Path properties = Path.of(".mvn/wrapper/maven-wrapper.properties");
        String text = Files.readString(Repository.ROOT.resolve(properties));
        assertThat(text.lines().filter(line -> line.matches(SUM))).hasSize(2);
        Files.createDirectories(folder.resolve(properties).getParent());
        Files.writeString(
                folder.resolve(properties),
                chosen ? text.replaceAll("(=)[0-9a-f]{64}", "$1" + sha256(NOT_MAVEN)) : text);
        Files.copy(Repository.ROOT.resolve("mvnw"), folder.resolve("mvnw"));
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(
                    exchange.getRequestURI().getPath().endsWith(archive) ? 200 : 404, NOT_MAVEN.length);
            exchange.getResponseBody().write(NOT_MAVEN);
            exchange.close();
        });
        server.start();
        try {
            Ended ended = run(
                    folder,
                    Map.of(
                            "MVNW_REPOURL",
                                    "http://127.0.0.1:" + server.getAddress().getPort(),
                            "MAVEN_USER_HOME", folder.resolve("home").toString(),
                            "PATH", path(archive.equals("zip"))),
                    List.of("/bin/sh", "mvnw", "--version"));
            assertThat(ended.exitCode()).as(ended.output()).isNotZero();
            // What has the right sum goes on, to where it is found out to be no archive.
            assertThat(ended.output())
                    .contains(
                            chosen
                                    ? archive.equals("zip") ? "failed to unzip" : "failed to untar"
                                    : "Failed to validate Maven distribution SHA-256");
            assertThat(Repository.files(folder.resolve("home"), "mvn")).isEmpty();
        } finally {
            server.stop(0);
        }
    }

    /**
     * A path with what the wrapper needs, and with an unzip or without one; that fails, as what it is given is no
     * archive.
     */
    private String path(boolean unzip) throws IOException {
        Path programs = Files.createDirectories(folder.resolve("programs"));
        List<Path> path = Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .map(Path::of)
                .toList();
        for (String name : List.of(
                "sh",
                "uname",
                "dirname",
                "basename",
                "mktemp",
                "mkdir",
                "rm",
                "mv",
                "tr",
                "tar",
                "gzip",
                "cat",
                "curl",
                "sha256sum")) {
            Path program = path.stream()
                    .map(dir -> dir.resolve(name))
                    .filter(Files::isExecutable)
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("No " + name + " on the PATH"));
            script(programs.resolve(name), "exec " + program + " \"$@\"");
        }
        if (unzip) {
            script(programs.resolve("unzip"), "exit 9");
        }
        return programs.toString();
    }

    private static void script(Path file, String command) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + command + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void mavenTakesNothingWhoseChecksumIsWrong(boolean right) throws Exception {
        Path remote = Files.createDirectories(folder.resolve("remote/x/parent/1"));
        byte[] pom = ("<project><modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>parent</artifactId>"
                        + "<version>1</version><packaging>pom</packaging></project>")
                .getBytes(UTF_8);
        Files.write(remote.resolve("parent-1.pom"), pom);
        Files.writeString(
                remote.resolve("parent-1.pom.sha1"),
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(right ? pom : NOT_MAVEN)));
        Path project = Files.createDirectories(folder.resolve("project/.mvn")).getParent();
        Files.copy(Repository.ROOT.resolve(".mvn/maven.config"), project.resolve(".mvn/maven.config"));
        Files.writeString(
                project.resolve("pom.xml"),
                ("<project><modelVersion>4.0.0</modelVersion><parent><groupId>x</groupId><artifactId>parent</artifactId>"
                                + "<version>1</version><relativePath/></parent><artifactId>child</artifactId><packaging>pom</packaging>"
                                + "<repositories><repository><id>remote</id><url>%s</url></repository></repositories></project>")
                        .formatted(folder.resolve("remote").toUri()));
        Path settings = Files.writeString(folder.resolve("settings.xml"), "<settings/>");
        Ended ended = run(
                project,
                Map.of(),
                List.of(
                        Path.of(System.getProperty("tenon.maven.home"), "bin/mvn")
                                .toString(),
                        "-B",
                        "-s",
                        settings.toString(),
                        "-Dmaven.repo.local=" + folder.resolve("local"),
                        "validate"));
        if (right) {
            assertThat(ended.exitCode()).as(ended.output()).isZero();
        } else {
            assertThat(ended.exitCode()).as(ended.output()).isNotZero();
            assertThat(ended.output()).contains("Checksum validation failed");
        }
    }

    @Test
    void theLibrariesOfTheConsoleAreAsTheyWereFetched() throws Exception {
        Path vendor = Repository.ROOT.resolve("console/src/main/resources/dev/tenon/console/vendor");
        Map<String, String> sums = new TreeMap<>();
        try (Stream<Path> files = Files.list(vendor)) {
            for (Path file : files.toList()) {
                sums.put(file.getFileName().toString(), sha256(Files.readAllBytes(file)));
            }
        }
        Map<String, String> recorded = Repository.read(Repository.ROOT.resolve("console/vendor.sha256"))
                .lines()
                .map(line -> line.split(" +"))
                .collect(Collectors.toMap(words -> words[1], words -> words[0]));
        assertThat(sums).isNotEmpty().isEqualTo(recorded);
    }

    private static String sha256(byte[] bytes) throws NoSuchAlgorithmException {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }
}
