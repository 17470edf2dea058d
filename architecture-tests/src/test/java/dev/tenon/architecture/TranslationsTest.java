package dev.tenon.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** A page in another language has the code and the links of the English one, so that neither is behind the other. */
class TranslationsTest {
    private static final String CHINESE = ".zh-CN.md";

    @Test
    void everyTranslationHasTheCodeAndTheLinksOfItsOriginal() {
        List<Path> translations = Repository.markdown().stream()
                .filter(page -> page.toString().endsWith(CHINESE))
                .toList();
        assertThat(translations).hasSizeGreaterThanOrEqualTo(2);
        assertThat(translations).allSatisfy(translation -> {
            Path original = translation.resolveSibling(
                    translation.getFileName().toString().replace(CHINESE, ".md"));
            assertSame(original.getFileName().toString(), Repository.read(original), Repository.read(translation));
        });
    }

    private static void assertSame(String name, String original, String translation) {
        assertThat(Docs.code(translation)).isEqualTo(Docs.code(original));
        assertThat(links(translation, name)).isEqualTo(links(original, name));
    }

    /** But for those from one language to the other, which lead to this page itself. */
    private static SortedSet<String> links(String page, String name) {
        return Docs.links(page).stream()
                .map(link -> link.replace(CHINESE, ".md"))
                .filter(link -> !link.equals(name))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void findsWhatOneOfThemIsMissing() {
        String original = "[zh](a.zh-CN.md) [more](b.md)\n```sh\nrun it # now\n```\n";
        assertSame("a.md", original, "[en](a.md) [更多](b.zh-CN.md)\n```sh\nrun it   # 现在\n```\n");
        for (String drifted : List.of(
                "[en](a.md) [更多](b.md)\n```sh\nrun that # now\n```\n",
                "[en](a.md) [更多](b.md)\n",
                "[en](a.md)\n```sh\nrun it # now\n```\n",
                "[en](a.md) [更多](b.md) [x](c.md)\n```sh\nrun it # now\n```\n")) {
            assertThatThrownBy(() -> assertSame("a.md", original, drifted)).isInstanceOf(AssertionError.class);
        }
    }
}
