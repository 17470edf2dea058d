package dev.tenon.site;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The site of this very repository, and of small ones. */
class TenonSiteTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern REFERENCE = Pattern.compile(" (?:href|src)=\"([^\"]*)\"");

    @TempDir
    private Path out;

    @TempDir
    private Path small;

    @Test
    void everyPageIsThereAndEveryLinkLeadsSomewhere() throws IOException {
        List<Page> pages = TenonSite.write(ROOT, out);
        assertThat(out.resolve("index.html")).content().contains("<h1 id=\"tenon\">", "<table", "简体中文");
        List<String> broken = new ArrayList<>();
        for (Page page : pages) {
            Path file = out.resolve(page.output());
            Matcher reference = REFERENCE.matcher(Files.readString(file));
            while (reference.find()) {
                if (!leadsSomewhere(file, reference.group(1))) {
                    broken.add(page.source() + " -> " + reference.group(1));
                }
            }
        }
        assertThat(broken).isEmpty();
        assertThat(out.resolve("docs/index.html")).content().contains(">Which lock for what</a>");
        assertThat(out.resolve("search-index.js"))
                .content()
                .startsWith("const SEARCH = [")
                .contains("Snowflake");
    }

    private static boolean leadsSomewhere(Path file, String link) throws IOException {
        if (link.startsWith("http")) {
            return true;
        }
        int hash = link.indexOf('#');
        Path target = hash == 0 ? file : file.resolveSibling(hash < 0 ? link : link.substring(0, hash));
        return Files.exists(target)
                && (hash < 0 || Files.readString(target).contains(" id=\"" + link.substring(hash + 1) + "\""));
    }

    @Test
    void everyPageOfTheDocsIsInTheTableOfContents() throws IOException {
        List<Path> listed = Contents.of(new Repository(ROOT)).pages();
        try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            assertThat(docs.filter(file -> file.toString().endsWith(".md"))
                            .map(ROOT::relativize)
                            .filter(file -> !file.startsWith("docs/adr") || file.endsWith("README.md")))
                    .isSubsetOf(listed);
        }
    }

    @Test
    void aLinkThatLeadsNowhereIsSaid() throws IOException {
        repository("[gone](gone.md)");
        assertThatThrownBy(() -> TenonSite.write(small, out))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("gone.md");
    }

    @Test
    void textIsNotTakenForMarkup() throws IOException {
        repository("[code](../A.java)");
        Files.writeString(small.resolve("A.java"), "List<String> a = \"&\";");
        TenonSite.write(small, out);
        assertThat(out.resolve("A.java.html")).content().contains("List&lt;String&gt; a = &quot;&amp;&quot;;");
    }

    private void repository(String line) throws IOException {
        Files.createDirectories(small.resolve("docs"));
        Files.writeString(small.resolve("docs/README.md"), "# Docs\n\n## Start\n* [Page](page.md)\n");
        Files.writeString(small.resolve("docs/page.md"), "# Page\n\n" + line + "\n");
        Files.writeString(small.resolve("README.zh-CN.md"), "# 你好\n");
    }
}
