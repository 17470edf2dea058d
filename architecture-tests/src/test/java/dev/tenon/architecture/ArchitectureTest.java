package dev.tenon.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import dev.tenon.architecture.Repository.Module;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ArchitectureTest {
    /** Of all modules. To import those of one takes almost as long, as what they use is looked up as well. */
    static final JavaClasses CLASSES = importMain(Repository.modules());

    @TempDir
    Path folder;

    @Test
    void seesEveryModuleThatHasSources() {
        for (Module module : Repository.modules()) {
            // Benchmarks are on no class path, this one's neither, so they may not be built yet.
            if (!module.path().equals("benchmarks") && !module.mainSources().isEmpty()) {
                assertThat(module.classes()).isDirectory();
            }
        }
        assertThat(CLASSES.stream().map(type -> type.getPackageName()))
                .contains("dev.tenon", "dev.tenon.id.spi", "dev.tenon.lock.spi", "dev.tenon.ring", "dev.tenon.memory");
    }

    @ParameterizedTest
    @MethodSource("dev.tenon.architecture.ArrowRules#all")
    void everyClassKeepsTheRule(ArchRule rule) {
        rule.check(CLASSES);
    }

    @ParameterizedTest
    @MethodSource
    void findsWhatIsWrong(ArchRule rule, List<String> sources) {
        JavaClasses classes = compiled(sources);
        assertThatThrownBy(() -> rule.check(classes)).isInstanceOf(AssertionError.class);
    }

    static Stream<Arguments> findsWhatIsWrong() {
        String jdbc = "package dev.tenon.jdbc; public class B {}";
        return Stream.of(
                // No backend sees another, no capability sees a backend, and nobody sees the tests' kit.
                Arguments.of(
                        ArrowRules.arrowsOfTheTable(),
                        List.of(jdbc, "package dev.tenon.redis; class A { dev.tenon.jdbc.B b; }")),
                Arguments.of(
                        ArrowRules.arrowsOfTheTable(),
                        List.of(jdbc, "package dev.tenon.lock; class A { dev.tenon.jdbc.B[] b; }")),
                Arguments.of(
                        ArrowRules.arrowsOfTheTable(),
                        List.of(jdbc, "package dev.tenon.cli; class A { dev.tenon.jdbc.B b; }")),
                Arguments.of(
                        ArrowRules.arrowsOfTheTable(),
                        List.of(
                                "package dev.tenon.client; public class C {}",
                                "package dev.tenon.server; class A { dev.tenon.client.C c; }")),
                Arguments.of(
                        ArrowRules.arrowsOfTheTable(),
                        List.of("package dev.tenon.ring; class A { dev.tenon.TimeSource t; }")),
                Arguments.of(
                        ArrowRules.arrowsOfTheTable(),
                        List.of("package dev.tenon.id; class A { dev.tenon.lock.spi.LockStore s; }")),
                Arguments.of(
                        ArrowRules.arrowsOfTheTable(),
                        List.of(
                                "package dev.tenon; class A { void m() { new dev.tenon.lock.LockTimeoutException(\"\"); } }")),
                Arguments.of(ArrowRules.arrowsOfTheTable(), List.of("package dev.tenon.unheardof; class A {}")),
                Arguments.of(
                        ArrowRules.driversStayInTheirBackend(),
                        List.of("package dev.tenon.server; class A { io.lettuce.core.RedisClient c; }")),
                Arguments.of(
                        ArrowRules.driversStayInTheirBackend(),
                        List.of("package dev.tenon.lock; class A { java.sql.Connection c; }")),
                Arguments.of(
                        ArrowRules.algorithmsStandOnTheJdk(),
                        List.of("package dev.tenon.lock; class A { org.slf4j.Logger log; }")),
                Arguments.of(
                        ArrowRules.algorithmsStandOnTheJdk(),
                        List.of("package dev.tenon; class A { javax.naming.Context context; }")),
                Arguments.of(
                        ArrowRules.driversStayInTheirBackend(),
                        List.of("package dev.tenon; class A { javax.sql.DataSource source; }")),
                Arguments.of(
                        ArrowRules.driversStayInTheirBackend(),
                        List.of("package dev.tenon.tx; class A { net.sf.jsqlparser.statement.Statement s; }")),
                Arguments.of(ArrowRules.noPackageForLeftovers(), List.of("package dev.tenon.lock.util; class A {}")),
                Arguments.of(ArrowRules.noPackageForLeftovers(), List.of("package dev.tenon.common; class A {}")),
                Arguments.of(
                        ArrowRules.nothingStaticChanges(),
                        List.of("package dev.tenon.lock; class A { static int n; }")),
                Arguments.of(
                        ArrowRules.nothingStaticChanges(),
                        List.of(
                                "package dev.tenon.lock; class A { static final java.util.concurrent.atomic.AtomicLong N = null; }")),
                Arguments.of(
                        ArrowRules.nothingStaticChanges(),
                        List.of(
                                "package dev.tenon.lock; class A { static final java.util.HashMap<String, String> M = null; }")),
                Arguments.of(
                        ArrowRules.nothingStaticChanges(),
                        List.of(
                                "package dev.tenon.lock; class A { static final java.util.concurrent.ExecutorService E = null; }")),
                Arguments.of(
                        ArrowRules.nothingStaticChanges(),
                        List.of("package dev.tenon.lock; class A { static final int[] TABLE = {}; }")),
                Arguments.of(
                        ArrowRules.threadsAreNamed(),
                        List.of(
                                "package dev.tenon.lock; class A { Object m(java.util.concurrent.CompletionStage<?> s) { return s.thenRunAsync(() -> {}); } }")),
                Arguments.of(
                        ArrowRules.threadsAreNamed(),
                        List.of(
                                "package dev.tenon.lock; class A { Object o = java.util.concurrent.ForkJoinPool.commonPool(); }")),
                Arguments.of(
                        ArrowRules.threadsAreNamed(),
                        List.of(
                                "package dev.tenon.id; class A { Object o = java.util.concurrent.CompletableFuture.delayedExecutor(1, java.util.concurrent.TimeUnit.SECONDS); }")),
                Arguments.of(
                        ArrowRules.threadsAreNamed(),
                        List.of(
                                "package dev.tenon.tx; class A { Object m(java.util.stream.IntStream s) { return s.parallel(); } }")),
                Arguments.of(
                        ArrowRules.implementationsCarryTheirBackend(),
                        List.of(
                                "package dev.tenon.redis; abstract class FastStore implements dev.tenon.id.spi.RangeStore {}")));
    }

    @Test
    void findsNothingWrong() {
        JavaClasses classes = compiled(
                List.of(
                        "package dev.tenon.redis; abstract class RedisRangeStore implements dev.tenon.id.spi.RangeStore {"
                                + " io.lettuce.core.RedisClient c; enum E { A, B } private static final int[] TABLE = {}; }",
                        "package dev.tenon.server; class A { dev.tenon.redis.B b; dev.tenon.lock.spi.LockStore s; }",
                        "package dev.tenon.redis; public class B { static final java.util.List<String> L = java.util.List.of(); }"));
        for (ArchRule rule : ArrowRules.all()) {
            assertThatCode(() -> rule.check(classes)).doesNotThrowAnyException();
        }
    }

    /** Those of one module. */
    static JavaClasses classesOf(Module module) {
        Path folder = module.classes().toAbsolutePath().normalize();
        return CLASSES.that(DescribedPredicate.describe(
                "in " + module.path(),
                type -> type.getSource()
                        .filter(source -> Path.of(source.getUri()).normalize().startsWith(folder))
                        .isPresent()));
    }

    private static JavaClasses importMain(List<Module> modules) {
        return new ClassFileImporter()
                .withImportOption(location -> !location.contains("jmh_generated"))
                // Nobody writes what is in there.
                .withImportOption(location -> !location.contains("/protocol/"))
                .importPaths(modules.stream()
                        .map(Module::classes)
                        .filter(Files::isDirectory)
                        .toList());
    }

    private JavaClasses compiled(List<String> sources) {
        return new ClassFileImporter().importPath(Compiled.into(folder, sources.toArray(String[]::new)));
    }
}
