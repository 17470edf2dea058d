package dev.tenon.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The pictures of {@code docs/architecture.md} are drawn from the code: a difference is written to the page, and fails
 * once.
 */
class MapTest {
    private static final Path PAGE = Repository.ROOT.resolve("docs/architecture.md");

    @TempDir
    Path folder;

    @Test
    void theModulesAreAsThePageShowsThem() throws IOException {
        holdTo("modules", ModuleMap.draw());
    }

    @Test
    void anAcquireGoesTheWayThatThePageShows() throws IOException {
        holdTo("acquire", AcquireMap.draw(ArchitectureTest.CLASSES));
    }

    private static void holdTo(String picture, String actual) throws IOException {
        String page = Repository.read(PAGE);
        Matcher block = Pattern.compile("(<!-- drawn: " + picture + " -->\n```mermaid\n)(.*?)(```)", Pattern.DOTALL)
                .matcher(page);
        assertThat(block.find()).as("a block for %s", picture).isTrue();
        if (!block.group(2).equals(actual)) {
            Files.writeString(PAGE, page.substring(0, block.start(2)) + actual + page.substring(block.end(2)));
            fail(
                    "The picture \"%s\" of docs/architecture.md is drawn anew. Review it with git diff and commit it.\n%s",
                    picture, Diff.of(block.group(2), actual));
        }
    }

    @Test
    void arrowsThatFollowFromOthersAreLeftOut() {
        assertThat(ModuleMap.reduced(Map.of("a", Set.of("b", "c"), "b", Set.of("c"), "d", Set.of("c"))))
                .isEqualTo(Map.of("a", Set.of("b"), "b", Set.of("c"), "d", Set.of("c")));
    }

    @Test
    void findsTheShortestWayOfCallsThroughInterfacesAndLambdas() {
        JavaClasses classes = new ClassFileImporter()
                .importPath(Compiled.into(
                        folder,
                        "package dev.tenon.a; public class A { public void go(S s) { Runnable later = () -> s.ask(); later.run(); } }",
                        "package dev.tenon.a; public interface S { void ask(); }",
                        "package dev.tenon.b; public class B implements dev.tenon.a.S { public void ask() { C.send(); } }",
                        "package dev.tenon.b; class C { static void send() { System.out.println(); } }"));
        List<JavaMethod> go = List.of(classes.get("dev.tenon.a.A").getMethod("go", "dev.tenon.a.S"));
        assertThat(names(new CallPath(type -> true), go)).containsExactly("A", "B", "C", "PrintStream");
        assertThat(names(new CallPath(type -> !type.getSimpleName().equals("C")), go))
                .isEmpty();
    }

    private static List<String> names(CallPath path, List<JavaMethod> starts) {
        return path.shortest(starts, target -> target.getOwner().isEquivalentTo(java.io.PrintStream.class)).stream()
                .map(type -> type.getSimpleName())
                .toList();
    }
}
