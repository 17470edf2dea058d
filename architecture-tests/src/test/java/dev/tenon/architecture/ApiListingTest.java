package dev.tenon.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.tenon.architecture.Repository.Module;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ApiListingTest {
    private static final Path LISTINGS = Repository.ROOT.resolve("docs/api");

    @TempDir
    Path folder;

    @ParameterizedTest
    @MethodSource("dev.tenon.architecture.Repository#published")
    void theListingIsTheApi(Module module) throws Exception {
        Path file = LISTINGS.resolve(module.name() + ".txt");
        String committed = Files.exists(file) ? Files.readString(file) : "";
        String actual = ApiListing.of(classes(module.classes(), getClass().getClassLoader()));
        if (!actual.equals(committed)) {
            Files.createDirectories(LISTINGS);
            Files.writeString(file, actual);
            fail(
                    "The public API of %s changed; docs/api/%s.txt is rewritten. Review it with git diff docs/api and commit it."
                            + "\n%s",
                    module.path(), module.name(), Diff.of(committed, actual));
        }
        assertThat(actual).isEqualTo(committed);
    }

    @Test
    void thereIsNoListingWithoutAModule() {
        assertThat(Repository.files(LISTINGS, ".txt"))
                .extracting(file -> file.getFileName().toString())
                .isSubsetOf(Repository.published().stream()
                        .map(module -> module.name() + ".txt")
                        .toList());
    }

    @Test
    void listsWhatUsersSee() throws Exception {
        assertThat(listing("""
                        package a; public abstract class A<T extends Comparable<T>> implements AutoCloseable {
                            public static final int MAX = 3; protected A(String name) {} A() {} int hidden() { return 1; }
                            public abstract java.util.List<? super T> all(int[] many, java.sql.Connection c) throws Exception;
                            protected static <R> java.util.Map<String, R> some(R... more) { return null; }
                            public String toString() { return ""; } private void secret() {}
                            public @org.jspecify.annotations.Nullable String maybe() { return null; }
                            public java.util.Optional<@org.jspecify.annotations.Nullable T> deep() { return null; }
                            class Hidden { public void m() {} } public enum E { Z, B { } }
                            public sealed interface S { default void m() {} record R(int a, String b) implements S {} } }
                        """)).isEqualTo("""
                        abstract class a.A<T extends Comparable<T>> implements AutoCloseable
                            @Nullable String maybe()
                            Optional<@Nullable T> deep()
                            abstract List<? super T> all(int[] many, java.sql.Connection c) throws Exception
                            protected new A(String name)
                            protected static <R> Map<String, R> some(R... more)
                            static final int MAX

                        enum a.A.E {Z, B}

                        sealed interface a.A.S
                            default void m()

                        record a.A.S.R(int a, String b) implements a.A.S
                        """);
    }

    @Test
    void aChangeShows() throws Exception {
        String before = listing("package a; public final class A { public void m(int n) {} }");
        for (String after : List.of(
                "package a; public final class A { public void m(long n) {} }",
                "package a; public final class A { public int m(int n) { return 0; } }",
                "package a; public final class A { public void m(int count) {} }",
                "package a; public final class A { public void m(int n) throws Exception {} }",
                "package a; public class A { public void m(int n) {} }",
                "package a; public final class A { public static void m(int n) {} }",
                "package a; public final class A { }")) {
            assertThat(listing(after)).isNotEqualTo(before);
        }
        assertThat(listing("package a; public final class A { private int x; public void m(int n) { x = n; } }"))
                .isEqualTo(before);
    }

    @Test
    void theDiffNamesLinesThatCameAndWent() {
        assertThat(Diff.of("a\nb\nc\n", "a\nc\nd\n")).isEqualTo("- b\n+ d\n");
        assertThat(Diff.of("a\n", "a\n")).isEmpty();
    }

    /** What users don't see may stand on what is not on this class path. */
    private static void addLoaded(List<Class<?>> classes, String name, Path file, ClassLoader loader)
            throws ClassNotFoundException {
        try {
            Class<?> type = Class.forName(name, false, loader);
            type.getDeclaringClass(); // which is loaded for that
            classes.add(type);
        } catch (NoClassDefFoundError e) {
            boolean visible = ArchConfiguration.withThreadLocalScope(alone -> {
                alone.setResolveMissingDependenciesFromClassPath(false);
                return new ClassFileImporter()
                        .importPath(file).stream()
                                .anyMatch(type -> type.getModifiers().contains(JavaModifier.PUBLIC));
            });
            if (visible) {
                throw e;
            }
        }
    }

    private String listing(String source) throws Exception {
        Path classes = Compiled.into(Files.createTempDirectory(folder, "classes"), source);
        try (URLClassLoader loader = new URLClassLoader(
                new URL[] {classes.toUri().toURL()}, getClass().getClassLoader())) {
            return ApiListing.of(classes(classes, loader));
        }
    }

    private static List<Class<?>> classes(Path folder, ClassLoader loader) throws IOException, ClassNotFoundException {
        List<Class<?>> classes = new ArrayList<>();
        for (Path file : Repository.files(folder, ".class")) {
            String name = folder.relativize(file).toString().replace('/', '.').replaceAll("\\.class$", "");
            if (!name.endsWith("package-info") && !name.endsWith("module-info")) {
                addLoaded(classes, name, file, loader);
            }
        }
        return classes;
    }
}
