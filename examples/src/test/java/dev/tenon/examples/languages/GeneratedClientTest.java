package dev.tenon.examples.languages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.server.Node;
import dev.tenon.server.NodeOptions;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A client that is made of what the running server says of itself at {@code /openapi.json}, and then used against it.
 */
class GeneratedClientTest {
    /** The generator, and what its code stands on; the build puts them there. */
    private static final Path TOOLS = Path.of("target", "generated-client").toAbsolutePath();

    private static final String JAVA =
            Path.of(System.getProperty("java.home"), "bin", "java").toString();

    @TempDir
    private Path folder;

    @Test
    void speaksToTheServer() throws Exception {
        try (Node node = Node.open(NodeOptions.at("127.0.0.1", 0), folder.resolve("data"))) {
            String url = "http://127.0.0.1:" + node.port();
            Path description = folder.resolve("openapi.json");
            HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create(url + "/openapi.json"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofFile(description));
            generate(description);
            compile();
            Program.End end = run(
                    List.of(JAVA, "-XX:TieredStopAtLevel=1", "-cp", folder.resolve("classes") + ":" + TOOLS + "/lib/*"),
                    "GeneratedClient",
                    url);
            assertThat(end.exitCode()).as(end::errors).isZero();
            assertThat(end.lines()).startsWith("id 101, number 101");
            assertThat(end.lines().get(1)).matches("held under token \\d+ by a generated client");
            assertThat(end.lines().get(2)).isEqualTo("held: false");
            assertThat(end.lines().get(3)).contains("refused with 409").contains("urn:tenon:problem:lock-not-held");
        }
    }

    private void generate(Path description) throws Exception {
        Program.End end = run(
                List.of(
                        JAVA,
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-jar",
                        TOOLS.resolve("openapi-generator-cli.jar").toString()),
                "generate",
                "--generator-name=java",
                "--library=native",
                "--input-spec=" + description,
                "--output=" + folder.resolve("client"),
                "--global-property=apis,models,supportingFiles,apiDocs=false,modelDocs=false,apiTests=false,modelTests=false",
                "--additional-properties=invokerPackage=dev.tenon.generated,apiPackage=dev.tenon.generated.api,"
                        + "modelPackage=dev.tenon.generated.model,openApiNullable=false,useJakartaEe=true,"
                        + "annotationLibrary=none,documentationProvider=none,hideGenerationTimestamp=true");
        assertThat(end.exitCode()).as("%s", end).isZero();
    }

    private void compile() throws Exception {
        List<Path> sources = new ArrayList<>(List.of(Path.of("languages", "GeneratedClient.java")));
        try (Stream<Path> files = Files.walk(folder.resolve("client/src/main/java"))) {
            files.filter(f -> f.toString().endsWith(".java")).forEach(sources::add);
        }
        Path classes = Files.createDirectories(folder.resolve("classes"));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<String> complaints = new ArrayList<>();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, Locale.ROOT, null)) {
            boolean compiled = compiler.getTask(
                            null,
                            files,
                            d -> complaints.add(d.toString()),
                            List.of("-proc:none", "-nowarn", "-d", classes.toString(), "-cp", libraries()),
                            null,
                            files.getJavaFileObjectsFromPaths(sources))
                    .call();
            assertThat(compiled).as(() -> String.join("\n", complaints)).isTrue();
        }
    }

    private static String libraries() throws IOException {
        try (Stream<Path> jars = Files.list(TOOLS.resolve("lib"))) {
            return jars.map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        }
    }

    private Program.End run(List<String> command, String... arguments) throws Exception {
        try (Program program = Program.start(folder, command, arguments)) {
            return program.end();
        }
    }
}
