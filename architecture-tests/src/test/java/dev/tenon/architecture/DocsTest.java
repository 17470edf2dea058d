package dev.tenon.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DocsTest {
    /** What a page about a backend must say, in this order, so that backends can be compared; it may say more. */
    private static final List<String> BACKEND_SECTIONS = List.of(
            "What it uses",
            "Guarantees",
            "What it does not guarantee",
            "Options",
            "Round trips",
            "Permissions and schema");

    /** What a build or a run writes. */
    private static final Set<String> GENERATED = Set.of("cli-usage.md", "benchmarks.md");

    private static final long MOST_WORDS = 70_000;

    @TempDir
    Path root;

    private Path page;

    @BeforeEach
    void anExampleAndAPage() throws IOException {
        page = root.resolve("docs/page.md");
        Files.createDirectories(page.getParent());
        Files.createDirectories(root.resolve("examples"));
        Files.writeString(root.resolve("examples/A.java"), """
                class A {
                    void m() {
                        // tag::call[]
                        // tag::inner[]
                        call();
                        // end::inner[]

                        if (again) {
                            call();
                        }
                        // end::call[]
                    }
                    // tag::open[]
                }
                """);
        Files.writeString(root.resolve("docs/other.md"), "# The `other` page: it's here!\n\n## Twice\n\n## Twice\n");
    }

    @Test
    void everySnippetIsWhatItsExampleSays() {
        List<String> broken = Repository.markdown().stream()
                .flatMap(found -> Docs.brokenSnippets(Repository.ROOT, found, mustBeSnippets(found)).stream())
                .toList();
        assertThat(broken).isEmpty();
    }

    @Test
    void everyLinkLeadsSomewhere() {
        List<String> broken = Repository.markdown().stream()
                .flatMap(found -> Docs.brokenLinks(Repository.ROOT, found).stream())
                .toList();
        assertThat(broken).isEmpty();
    }

    @Test
    void thePagesStayBelowTheirLimitOfWords() {
        Path docs = Repository.ROOT.resolve("docs");
        long words = Repository.files(docs, ".md").stream()
                .filter(page -> !GENERATED.contains(docs.relativize(page).toString()))
                .mapToLong(page -> Docs.words(Repository.read(page)))
                .sum();
        assertThat(words).isPositive().isLessThan(MOST_WORDS);
    }

    @Test
    void countsTheWordsThatAreRead() {
        assertThat(Docs.words(
                        "# Two words\n\n| a | b |\n|---|---|\n| `x y` | – |\n```sh\nno words here\n```\nlast 1.\n"))
                .isEqualTo(8);
    }

    @Test
    void everyBackendHasAPageWithTheSameSections() {
        Path pages = Repository.ROOT.resolve("docs/backends");
        List<String> wanting = new ArrayList<>();
        for (Path page : Repository.files(pages, ".md")) {
            Docs.missingSections(Repository.read(page), BACKEND_SECTIONS)
                    .forEach(
                            section -> wanting.add(page.getFileName() + " has no \"## " + section + "\" in its place"));
        }
        for (Repository.Module module : Repository.backends()) {
            String name = module.name();
            if (!Files.exists(pages.resolve(name + ".md"))) {
                wanting.add(module.path() + " has no page docs/backends/" + name + ".md");
            }
        }
        assertThat(wanting).isEmpty();
    }

    @Test
    void findsSectionsThatAreMissingOrInAnotherOrder() {
        String text = "# A\n## One\n### Three\n## Two\n```\n## Four\n```\n";
        assertThat(Docs.missingSections(text, List.of("One", "Two"))).isEmpty();
        assertThat(Docs.missingSections(text, List.of("Two", "One"))).containsExactly("One");
        assertThat(Docs.missingSections(text, List.of("One", "Three", "Four"))).containsExactly("Three", "Four");
    }

    @Test
    void acceptsASnippetThatIsItsRegion() throws IOException {
        assertThat(snippets("""
                        <!-- snippet: examples/A.java#call -->
                        ```java
                        call();

                        if (again) {
                            call();
                        }
                        ```
                        """)).isEmpty();
    }

    @Test
    void aBlankLineBeforeTheEndIsNotPartOfIt() {
        assertThat(Docs.region("    // tag::a[]\n    b()\n\n    // end::a[]\n", "a"))
                .contains("b()\n");
        assertThat(Docs.region("    // tag::a[]\n    b {\n        c()\n    }\n\n    // end::a[]\n", "a"))
                .contains("b {\n    c()\n}\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<!-- snippet: examples/A.java#inner -->\n```java\ncall( );\n```",
                "<!-- snippet: examples/A.java#nowhere -->\n```java\ncall();\n```",
                "<!-- snippet: examples/A.java#open -->\n```java\n}\n```",
                "<!-- snippet: examples/B.java#call -->\n```java\ncall();\n```",
                "<!-- snippet: ../A.java#call -->\n```java\ncall();\n```",
                "<!-- snippet: examples/A.java#inner -->\nNo block.",
                "```java\ncall();\n```"
            })
    void findsASnippetThatIsNot(String text) throws IOException {
        assertThat(snippets(text)).hasSize(1);
    }

    @Test
    void otherLanguagesNeedNoExample() throws IOException {
        assertThat(snippets("```sh\n./tenon server\n```\n")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[a](other.md)",
                "[a](../examples/A.java \"A\")",
                "[a](../examples)",
                "[a](/docs/other.md)",
                "[a](other.md#the-other-page-its-here) and [b](other.md#twice-1)",
                "[a](https://example.org/nothing)",
                "[a](mailto:a@example.org)",
                "# Here\n[a](#here)",
                "```\n[a](nowhere.md)\n```",
                "`[a](nowhere.md)`",
                "[a]: other.md"
            })
    void acceptsALinkThatLeadsSomewhere(String text) throws IOException {
        assertThat(links(text)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[a](nowhere.md)",
                "![a](nowhere.png)",
                "[a](../nowhere/)",
                "[a](/other.md)",
                "[a](../../outside.md)",
                "[a](other.md#no-such-heading)",
                "[a](#no-such-heading)",
                "[a]: nowhere.md"
            })
    void findsALinkThatDoesNot(String text) throws IOException {
        assertThat(links(text)).hasSize(1);
    }

    private List<String> snippets(String text) throws IOException {
        Files.writeString(page, text);
        return Docs.brokenSnippets(root, page, true);
    }

    private List<String> links(String text) throws IOException {
        Files.writeString(page, text);
        return Docs.brokenLinks(root, page);
    }

    /** An ADR may show the code that was turned down. */
    private static boolean mustBeSnippets(Path page) {
        Path docs = Repository.ROOT.resolve("docs");
        boolean adr = page.startsWith(docs.resolve("adr"));
        boolean readme = page.getFileName().toString().startsWith("README");
        return readme || (page.startsWith(docs) && !adr);
    }
}
