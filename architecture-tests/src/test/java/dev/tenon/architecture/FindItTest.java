package dev.tenon.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import dev.tenon.testkit.LockStoreContract;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What a newcomer is told where to find is there: answers of CONTRIBUTING.md, and the contracts by capability. */
class FindItTest {
    private static final Pattern CODE_LINK = Pattern.compile("\\[`([^`]+)`]\\(([^)#]+)(?:#[^)]*)?\\)");
    private static final Pattern CONTRACT = Pattern.compile("`(\\w+Contract)`");
    private static final Path CONTRIBUTING = Repository.ROOT.resolve("CONTRIBUTING.md");
    private static final Path CONTRACTS = Repository.ROOT.resolve("docs/contributing/README.md");

    @Test
    void everyAnswerIsWhereItIsSaidToBe() {
        List<String> rows = rows(Repository.read(CONTRIBUTING), "| where | is |");
        assertThat(rows).hasSizeGreaterThanOrEqualTo(6);
        assertThat(rows.stream().flatMap(row -> wrong(Repository.ROOT, row).stream()))
                .isEmpty();
    }

    @Test
    void findsAnAnswerThatIsNotThere() {
        String file = "testkit/src/main/java/dev/tenon/testkit/LockStoreContract.java";
        assertThat(wrong(Repository.ROOT, "| a | [`LockStoreContract`](" + file + ") |"))
                .isEmpty();
        assertThat(wrong(Repository.ROOT, "| a | [`LockStore`](" + file + ") |"))
                .containsExactly(file + " does not declare LockStore");
        assertThat(wrong(Repository.ROOT, "| a | [`release.lua`](backends/redis/nowhere/release.lua) |"))
                .containsExactly("backends/redis/nowhere/release.lua is not there");
        assertThat(wrong(Repository.ROOT, "| a | nothing in particular |"))
                .containsExactly("no link in: | a | nothing in particular |");
    }

    @Test
    void theTableHasEveryContractOnce() {
        Set<String> contracts =
                contracts().stream().map(JavaClass::getSimpleName).collect(Collectors.toCollection(TreeSet::new));
        List<String> named =
                rows(Repository.read(CONTRACTS), "| for | contract to subclass | parts that come with it |").stream()
                        .flatMap(row -> names(cells(row), 2).stream())
                        .toList();
        assertThat(named).contains(LockStoreContract.class.getSimpleName());
        assertThat(new TreeSet<>(named)).isEqualTo(contracts);
    }

    @Test
    void theTableSaysWhichToSubclassAndWhatComesWithEach() {
        for (String row :
                rows(Repository.read(CONTRACTS), "| for | contract to subclass | parts that come with it |")) {
            List<String> cells = cells(row);
            List<String> subclassed = names(cells, 2).stream()
                    .filter(name -> cells.get(2).contains("`" + name + "`"))
                    .toList();
            assertThat(subclassed).as(row).hasSize(1);
            JavaClass contract = contracts().stream()
                    .filter(type -> type.getSimpleName().equals(subclassed.get(0)))
                    .findFirst()
                    .orElseThrow();
            assertThat(names(cells, 3))
                    .as(row)
                    .containsExactlyInAnyOrderElementsOf(contract.getAllRawSuperclasses().stream()
                            .map(JavaClass::getSimpleName)
                            .filter(name -> name.endsWith("Contract"))
                            .toList());
        }
    }

    private static List<JavaClass> contracts() {
        return ArchitectureTest.CLASSES.stream()
                .filter(type -> type.getPackageName().startsWith("dev.tenon.testkit")
                        && type.getSimpleName().endsWith("Contract"))
                .toList();
    }

    /** The rows of the table with this head. */
    private static List<String> rows(String page, String head) {
        List<String> rows = page.lines()
                .dropWhile(line -> !line.equals(head))
                .skip(2)
                .takeWhile(line -> line.startsWith("|"))
                .toList();
        assertThat(rows).as(head).isNotEmpty();
        return rows;
    }

    private static List<String> cells(String row) {
        return List.of(row.split("\\|", -1));
    }

    /** The contracts that a row names from a cell on. */
    private static List<String> names(List<String> cells, int from) {
        List<String> names = new ArrayList<>();
        Matcher contract = CONTRACT.matcher(String.join("|", cells.subList(from, cells.size())));
        while (contract.find()) {
            names.add(contract.group(1));
        }
        return names;
    }

    /**
     * What a row names that is not so: a file, or the type that it declares. Links to pages are checked with all
     * others.
     */
    private static List<String> wrong(Path root, String row) {
        List<String> wrong = new ArrayList<>();
        Matcher link = CODE_LINK.matcher(row);
        while (link.find()) {
            Path file = root.resolve(link.group(2));
            if (!Files.isRegularFile(file)) {
                wrong.add(link.group(2) + " is not there");
            } else if (link.group(2).endsWith(".java") && !declares(Repository.read(file), link.group(1))) {
                wrong.add(link.group(2) + " does not declare " + link.group(1));
            }
        }
        if (!row.contains("](")) {
            wrong.add("no link in: " + row);
        }
        return wrong;
    }

    private static boolean declares(String source, String type) {
        return Pattern.compile("\\b(class|interface|enum|record) " + Pattern.quote(type) + "\\b")
                .matcher(source)
                .find();
    }
}
