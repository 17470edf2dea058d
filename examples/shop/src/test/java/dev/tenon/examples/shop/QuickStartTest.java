package dev.tenon.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.testkit.ForkedJvm;
import dev.tenon.testkit.TestPort;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The project of docs/spring/quick-start.md, made of that page alone, and run as the page says. */
class QuickStartTest {
    private static final Path PAGE = Path.of("../../docs/spring/quick-start.md");
    private static final Pattern FILE =
            Pattern.compile("`([\\w./]+)`:\\n(?:<!--[^\\n]*-->\\n)?```\\w+\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern CALL = Pattern.compile("curl -s -X POST http://localhost:8080(\\S+) +# (.*)");
    private static final Pattern DEPENDENCY =
            Pattern.compile("<dependency><groupId>([\\w.]+)</groupId><artifactId>([\\w-]+)</artifactId></dependency>");
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @TempDir
    private Path project;

    @Test
    void theProjectOfThePageSellsAsThePageSays() throws Exception {
        String page = Files.readString(PAGE);
        Map<String, String> files = new LinkedHashMap<>();
        Matcher file = FILE.matcher(page);
        while (file.find()) {
            files.put(file.group(1), file.group(2));
            Path path = project.resolve(file.group(1));
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.group(2));
        }
        assertThat(files).hasSize(4);
        String libraries = libraries();
        requireDependencies(files.get("pom.xml"), libraries);
        compile(libraries);

        try (TestPort port = TestPort.reserve();
                ForkedJvm shop = start(libraries, port.number())) {
            HttpClient http = HttpClient.newHttpClient();
            Matcher call = CALL.matcher(page);
            int calls = 0;
            while (call.find()) {
                HttpRequest request = HttpRequest.newBuilder(
                                URI.create("http://localhost:" + port.number() + call.group(1)))
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build();
                String answer = Awaitility.await()
                        .atMost(PATIENCE)
                        .ignoreExceptionsInstanceOf(IOException.class)
                        .until(
                                () -> http.send(request, HttpResponse.BodyHandlers.ofString())
                                        .body(),
                                body -> true);
                assertThat(answer).as(shop.errors()).matches(call.group(2).replaceAll("\\d+", "\\\\d+"));
                calls++;
            }
            assertThat(calls).isEqualTo(3);
        }
    }

    /** The class path of this module without what the project does not have. */
    private static String libraries() {
        List<String> others = List.of("examples/shop", "redis", "lettuce", "testkit");
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> others.stream().noneMatch(entry::contains))
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** What the page's POM names is what is on this class path; the version of Spring Boot, too. */
    private static void requireDependencies(String pom, String libraries) {
        Matcher dependency = DEPENDENCY.matcher(pom);
        int found = 0;
        while (dependency.find()) {
            String artifact = dependency.group(2);
            String module = switch (artifact) {
                case "tenon-spring-boot-starter" -> "/spring/";
                case "tenon-jdbc" -> "/jdbc/";
                default -> "/" + artifact + "/4.1.0/";
            };
            assertThat(libraries).as(artifact).containsAnyOf(module, artifact + "-0.1.0");
            found++;
        }
        assertThat(found).isEqualTo(4);
        assertThat(pom).contains("<artifactId>tenon-bom</artifactId>", "<version>4.1.0</version>");
    }

    private void compile(String libraries) {
        String source = project.resolve("src/main/java/com/example/shop/ShopApplication.java")
                .toString();
        String classes = project.resolve("src/main/resources").toString(); // where the resources are already
        int result = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-parameters", "-proc:none", "-d", classes, "-cp", libraries, source);
        assertThat(result).isZero();
    }

    private ForkedJvm start(String libraries, int port) {
        return ForkedJvm.start(
                Launcher.class,
                List.of(),
                project.resolve("src/main/resources") + File.pathSeparator + libraries,
                "--server.port=" + port);
    }

    /** Runs the project's own class with its own class path, and nothing of this test. */
    static final class Launcher {
        private Launcher() {}

        public static void main(String[] args) throws Exception {
            ClassLoader none = ClassLoader.getPlatformClassLoader();
            URL[] path = Arrays.stream(args[0].split(File.pathSeparator))
                    .map(entry -> {
                        try {
                            return Path.of(entry).toUri().toURL();
                        } catch (IOException e) {
                            throw new IllegalStateException(e);
                        }
                    })
                    .toArray(URL[]::new);
            ClassLoader own = new URLClassLoader(path, none);
            Thread.currentThread().setContextClassLoader(own);
            own.loadClass("com.example.shop.ShopApplication")
                    .getMethod("main", String[].class)
                    .invoke(null, (Object) new String[] {args[1]});
        }
    }
}
