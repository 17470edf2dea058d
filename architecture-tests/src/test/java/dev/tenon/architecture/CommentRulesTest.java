package dev.tenon.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.architecture.Repository.Module;
import dev.tenon.architecture.Repository.Source;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommentRulesTest {
    private static final String LONG = "word ".repeat(24);

    @Test
    void commentsFitTheColumns() {
        List<String> found = Repository.modules().stream()
                .flatMap(CommentRulesTest::sources)
                .flatMap(source -> CommentRules.violations(source).stream())
                .toList();
        assertThat(found).isEmpty();
    }

    @Test
    void looksAtBothLanguagesAndAtTests() {
        assertThat(Repository.modules().stream().flatMap(CommentRulesTest::sources))
                .extracting(Source::file)
                .anyMatch(file -> file.endsWith(".kt"))
                .anyMatch(file -> file.contains("src/test/java"))
                .anyMatch(file -> file.contains("src/main/java"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "// LONG",
                "/** LONG */",
                "/* LONG */",
                "int a; // LONG",
                "/**\n * short\n * LONG\n */",
                "String s = \"a // b\"; // LONG",
                "char c = '\"'; /* LONG */",
                "String s = \"\"\"\n text \\\" /* \"\"\"; // LONG",
            })
    void findsACommentThatIsTooLong(String source) {
        assertThat(violations(source.replace("LONG", LONG))).hasSize(1);
    }

    @Test
    void saysWhere() {
        assertThat(violations("class A {}\n/**\n * short\n * " + LONG + "end\n */\nclass B {}"))
                .containsExactly("X.java:4: a comment to column 126, of 120");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "// short",
                "String s = \"// LONG\";",
                "String s = \"\"\"\n // LONG \"\"\";",
                "String s = \"\\\" // LONG\";",
                "char c = '\\''; String s = \"/* LONG\";",
                " * LONG",
                "int a = b / LONG;"
            })
    void findsNothingWrong(String source) {
        assertThat(violations(source.replace("LONG", LONG))).isEmpty();
    }

    @Test
    void leavesWhatCannotBeBroken() {
        assertThat(violations("// https://example.com/" + "x".repeat(120))).isEmpty();
        assertThat(violations("/**\n * https://example.com/" + "x".repeat(120) + "\n */"))
                .isEmpty();
        assertThat(violations("// see https://example.com/" + "x".repeat(120))).hasSize(1);
        assertThat(violations("// " + "\uD83D\uDD12 ".repeat(58))).isEmpty();
    }

    private static Stream<Source> sources(Module module) {
        return Stream.of(module.mainSources(), module.testSources(), module.kotlinSources())
                .flatMap(List::stream);
    }

    private static List<String> violations(String source) {
        return CommentRules.violations(new Source("core", "X.java", source));
    }
}
