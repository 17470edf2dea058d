package dev.tenon.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** The compiler's arguments, as the root POM has them, refuse what they are there to refuse. */
class CompilerChecksTest {
    private static final Document POM = Repository.xml(Repository.ROOT.resolve("pom.xml"));

    @TempDir
    Path folder;

    @Test
    void acceptsSoundCode() throws Exception {
        Result result = compile("String name(@Nullable String name) { return name == null ? \"\" : name; }");
        assertThat(result.output()).isEmpty();
        assertThat(result.exitCode()).isZero();
    }

    @Test
    void refusesNullWhereNobodyExpectsIt() throws Exception {
        Result result = compile(
                "String returned() { return null; }",
                "int passed() { return taken(null); } int taken(String text) { return text.length(); }",
                "int followed(@Nullable String text) { return text.length(); }",
                "private String neverSet; String neverSet() { return neverSet; }");
        assertThat(result.output().lines().filter(line -> line.contains("error: [NullAway]")))
                .as(result.output())
                .extracting(line -> line.replaceAll(".*Sample\\.java:(\\d+):.*", "$1"))
                .containsExactlyInAnyOrder("1", "2", "3", "4");
        assertThat(result.exitCode()).isNotZero();
    }

    @Test
    void refusesAWarning() throws Exception {
        Result result = compile(
                "Object raw() { return new java.util.ArrayList(); }",
                "int falls(int n) { switch (n) { case 1: n++; case 2: n--; } return n; }");
        assertThat(result.output())
                .contains("Sample.java:1: warning: [rawtypes]")
                .contains("Sample.java:2: warning: [fallthrough]")
                .contains("warnings found and -Werror specified");
        assertThat(result.exitCode()).isNotZero();
    }

    private record Result(int exitCode, String output) {}

    /** Compiles a class with these members, one a line, in a JVM of its own, as Maven does. */
    private Result compile(String... members) throws Exception {
        Path source = folder.resolve("Sample.java");
        Files.writeString(
                source,
                "package dev.tenon.sample; import org.jspecify.annotations.*; @NullMarked class Sample {"
                        + " boolean equals(@Nullable Sample other) { return other == this; } "
                        + String.join("\n", members)
                        + "}");
        // Modules without sources yet leave no folder, and -Xlint:path would warn.
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> Files.exists(Path.of(entry)))
                .collect(Collectors.joining(File.pathSeparator));
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "javac").toString());
        jvmArguments().forEach(argument -> command.add("-J" + argument));
        command.addAll(compilerArguments());
        command.addAll(List.of("--release", Repository.text(POM, "maven.compiler.release")));
        command.addAll(List.of("-processorpath", classPath, "-classpath", classPath));
        command.addAll(List.of("-d", folder.toString(), source.toString()));
        Process javac = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(javac.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Result(javac.waitFor(), output);
    }

    /** What Error Prone needs from the JVM that the compiler runs in. */
    private static List<String> jvmArguments() throws IOException {
        return Files.readAllLines(Repository.ROOT.resolve(".mvn/jvm.config")).stream()
                .filter(line -> line.startsWith("--add-"))
                .toList();
    }

    private static List<String> compilerArguments() {
        // The first is that of main sources; test sources have a shorter one of their own.
        Element arguments = (Element) POM.getElementsByTagName("compilerArgs").item(0);
        NodeList nodes = arguments.getElementsByTagName("arg");
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < nodes.getLength(); i++) {
            texts.add(nodes.item(i).getTextContent());
        }
        return texts;
    }
}
