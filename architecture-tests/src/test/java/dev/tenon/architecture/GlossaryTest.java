package dev.tenon.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The glossary has the words that users search for, and each of its terms leads to a page that has the term. */
class GlossaryTest {
    private static final Path PAGE = Repository.ROOT.resolve("docs/glossary.md");
    /** A line such as {@code * [term](page.md#heading): sentence.} */
    private static final Pattern ENTRY = Pattern.compile("\\* \\[([^\\]]+)]\\(([^)#]+)(?:#[^)]*)?\\): \\S.*\\.");

    private static final List<String> SEARCHED = List.of(
            "alert",
            "at-least-once",
            "barrier",
            "classpath",
            "clock step",
            "compensation",
            "dead letter",
            "epoch",
            "expire",
            "failover",
            "fencing token",
            "heuristic",
            "hot row",
            "idempotency key",
            "idempotent",
            "in-doubt",
            "lease",
            "poll",
            "reentrant",
            "retry",
            "segment",
            "split brain",
            "stuck",
            "takeover",
            "watchdog",
            "worker ID");

    @Test
    void everyTermLeadsToAPageThatHasIt() {
        assertThat(broken(
                        Repository.read(PAGE),
                        page -> Files.isRegularFile(PAGE.resolveSibling(page))
                                ? Repository.read(PAGE.resolveSibling(page))
                                : ""))
                .isEmpty();
    }

    @Test
    void theWordsThatUsersSearchForAreTerms() {
        assertThat(terms(Repository.read(PAGE))).doesNotHaveDuplicates().containsAll(SEARCHED);
    }

    @Test
    void findsATermThatItsPageLacksAndALineWithoutTermOrSentence() {
        Function<String, String> pages =
                page -> page.equals("locks.md") ? "A Fencing\ntoken rises with each grant." : "";
        assertThat(broken("# Glossary\n\n* [fencing token](locks.md#tokens): a number.\n", pages))
                .isEmpty();
        for (String line : List.of(
                "* [lease](locks.md): a lock for a limited time.",
                "* [fencing token](nowhere.md): a number.",
                "* [fencing token](locks.md):",
                "* fencing token: a number.")) {
            assertThat(broken("# Glossary\n\n" + line + "\n", pages)).containsExactly(line);
        }
    }

    private static List<String> terms(String glossary) {
        return entries(glossary).stream()
                .map(ENTRY::matcher)
                .filter(Matcher::matches)
                .map(entry -> entry.group(1))
                .toList();
    }

    /** The entries that are not a term, its link and a sentence, or whose page does not have the term. */
    private static List<String> broken(String glossary, Function<String, String> pages) {
        List<String> broken = new ArrayList<>();
        for (String line : entries(glossary)) {
            Matcher entry = ENTRY.matcher(line);
            if (!entry.matches() || !folded(pages.apply(entry.group(2))).contains(folded(entry.group(1)))) {
                broken.add(line);
            }
        }
        return broken;
    }

    private static List<String> entries(String glossary) {
        return glossary.lines().filter(line -> line.startsWith("* ")).toList();
    }

    /** In lower case, with one space where a line breaks. */
    private static String folded(String text) {
        return text.toLowerCase(Locale.ROOT).replaceAll("\\s+", " ");
    }
}
