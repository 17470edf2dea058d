package dev.tenon.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.testkit.TestPort;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The project of docs/spring/quick-start.md, made of that page alone, for both lines of Spring Boot, and run by Maven
 * as the page says.
 */
class QuickStartTest {
    private static final Path PAGE = Path.of("../../docs/spring/quick-start.md");
    private static final Pattern FILE =
            Pattern.compile("`([\\w./]+)`:\\n(?:<!--[^\\n]*-->\\n)?```\\w+\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern ROW = Pattern.compile("\\| [^|`]+ \\| `([\\w.-]+)` \\| `([\\w.-]+)` \\|");
    private static final Pattern CALL = Pattern.compile("curl -s -X POST http://localhost:8080(\\S+) +# (.*)");
    private static final Pattern DEPENDENCY = Pattern.compile(
            "<dependency><groupId>([\\w.]+)</groupId><artifactId>([\\w-]+)</artifactId>(<scope>runtime</scope>)?</dependency>");
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @TempDir
    private static Path folder;

    private static String page;
    private static Map<String, String> files;

    @BeforeAll
    static void read() throws IOException {
        page = Files.readString(PAGE);
        files = new LinkedHashMap<>();
        FILE.matcher(page).results().forEach(file -> files.put(file.group(1), file.group(2)));
        FreshRepository.fill(folder.resolve("modules"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"spring-boot.version", "spring-boot3.version"})
    void theProjectOfThePageSellsAsThePageSays(String key) throws Exception {
        String version = tested(key);
        Path project = folder.resolve(version);
        for (String name : List.of(
                "pom.xml",
                "src/main/resources/application.yml",
                "src/main/resources/schema.sql",
                "src/main/java/com/example/shop/ShopApplication.java")) {
            Path path = project.resolve(name);
            Files.createDirectories(path.getParent());
            String text = of(version, files.get(name));
            Files.writeString(path, name.equals("pom.xml") ? FreshRepository.inVersion(text) : text);
        }
        assertThat(project.resolve("pom.xml")).content().contains("<version>" + version + "</version>");
        try (TestPort port = TestPort.reserve();
                MavenRun maven = MavenRun.start(
                        project,
                        folder.resolve("modules"),
                        "spring-boot:run",
                        "-Dspring-boot.run.arguments=--server.port=" + port.number())) {
            assertThat(CALL.matcher(page).results().map(call -> call(maven, port.number(), call)))
                    .hasSize(3)
                    .allMatch(answered -> answered);
            assertThat(maven.output()).contains(":: Spring Boot ::", version).contains(told());
        }
    }

    private static boolean call(MavenRun maven, int port, MatchResult call) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + call.group(1)))
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        HttpClient http = HttpClient.newHttpClient();
        String answer = Awaitility.await()
                .atMost(PATIENCE)
                .failFast(() -> {
                    assertThat(maven.alive()).as(maven.output()).isTrue();
                })
                .ignoreExceptionsInstanceOf(IOException.class)
                .until(
                        () -> http.send(request, HttpResponse.BodyHandlers.ofString())
                                .body(),
                        body -> true);
        assertThat(answer).as(maven.output()).matches(call.group(2).replaceAll("\\d+", "\\\\d+"));
        return true;
    }

    /** The line of the log that the page shows. */
    private static String told() {
        Matcher line = Pattern.compile("`(Tenon's backend is [^`]+)`").matcher(page);
        assertThat(line.find()).isTrue();
        return line.group(1);
    }

    /**
     * A file of the page as one for this version of Spring Boot: of the two columns of its table, the one in place of
     * the other.
     */
    private static String of(String version, String text) {
        String changed = text;
        int rows = 0;
        for (MatchResult row : ROW.matcher(page).results().toList()) {
            boolean older = version.equals(tested("spring-boot3.version"));
            changed = older ? changed.replace(row.group(1) + "<", row.group(2) + "<") : changed;
            rows++;
        }
        assertThat(rows).isEqualTo(2);
        return changed;
    }

    /** The version that this build is tested with. */
    private static String tested(String key) {
        try {
            Matcher value = Pattern.compile("<" + key + ">(.*)</" + key + ">")
                    .matcher(Files.readString(Path.of("../../pom.xml")));
            assertThat(value.find()).isTrue();
            return value.group(1);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void theTableHasTheVersionsThatAreTested() {
        MatchResult row = ROW.matcher(page).results().findFirst().orElseThrow();
        assertThat(List.of(row.group(1), row.group(2)))
                .containsExactly(tested("spring-boot.version"), tested("spring-boot3.version"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"build.gradle", "build.gradle.kts"})
    void theFilesForGradleSayWhatThePomSays(String name) {
        String build = files.get(name);
        String pom = files.get("pom.xml");
        SortedSet<String> ofMaven = new TreeSet<>();
        DEPENDENCY
                .matcher(pom)
                .results()
                .forEach(found -> ofMaven.add((found.group(3) == null ? "implementation " : "runtimeOnly ")
                        + found.group(1) + ":" + found.group(2)));
        SortedSet<String> ofGradle = new TreeSet<>();
        Pattern.compile("(?m)^    (implementation|runtimeOnly)[ (]['\"]([\\w.]+:[\\w-]+)['\"]\\)?$")
                .matcher(build)
                .results()
                .forEach(found -> ofGradle.add(found.group(1) + " " + found.group(2)));
        assertThat(ofGradle).isEqualTo(ofMaven).hasSize(5);
        // and nothing else: two platforms
        assertThat(Pattern.compile("(?m)^    (implementation|runtimeOnly)")
                        .matcher(build)
                        .results())
                .hasSize(7);
        assertThat(build)
                .containsPattern("id[ (]['\"]org.springframework.boot['\"]\\)? version ['\"]"
                        + Pattern.quote(tested("spring-boot.version")) + "['\"]")
                .containsPattern("[ (]platform\\(['\"]dev.tenon:tenon-bom:0.1.0-SNAPSHOT['\"]\\)")
                .contains("enforcedPlatform(org.springframework.boot.gradle.plugin.SpringBootPlugin.BOM_COORDINATES)");
        assertThat(pom).contains("<version>0.1.0-SNAPSHOT</version>", "<artifactId>shop</artifactId>");
        assertThat(files.get(name.replace("build", "settings"))).matches("rootProject.name = ['\"]shop['\"]\n");
    }
}
