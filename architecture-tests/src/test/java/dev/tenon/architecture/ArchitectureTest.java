package dev.tenon.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
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
import org.junit.jupiter.params.provider.ValueSource;

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
                        ArrowRules.librariesStayInTheirModules(),
                        List.of("package dev.tenon.server; class A { io.lettuce.core.RedisClient c; }")),
                Arguments.of(
                        ArrowRules.librariesStayInTheirModules(),
                        List.of("package dev.tenon.lock; class A { java.sql.Connection c; }")),
                Arguments.of(
                        ArrowRules.algorithmsStandOnTheJdk(),
                        List.of("package dev.tenon.lock; class A { org.slf4j.Logger log; }")),
                Arguments.of(
                        ArrowRules.algorithmsStandOnTheJdk(),
                        List.of("package dev.tenon; class A { javax.naming.Context context; }")),
                Arguments.of(
                        ArrowRules.librariesStayInTheirModules(),
                        List.of("package dev.tenon; class A { javax.sql.DataSource source; }")),
                Arguments.of(
                        ArrowRules.librariesStayInTheirModules(),
                        List.of("package dev.tenon.tx; class A { net.sf.jsqlparser.statement.Statement s; }")),
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
                        ArrowRules.threadsAreNamed(),
                        List.of(
                                "package dev.tenon.tx; class A { Object m(java.util.List<String> l) { return l.parallelStream(); } }")),
                Arguments.of(
                        ArrowRules.implementationsCarryTheirBackend(),
                        List.of(
                                "package dev.tenon.client; abstract class FastStore implements dev.tenon.id.spi.RangeStore {}")),
                Arguments.of(
                        ArrowRules.implementationsCarryTheirBackend(),
                        List.of(
                                "package dev.tenon.redis; abstract class FastStore implements dev.tenon.id.spi.RangeStore {}")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"util", "utils", "common", "commons", "helper", "helpers", "misc"})
    void findsEachPackageForLeftovers(String name) {
        JavaClasses classes = compiled(List.of(
                "package dev.tenon.lock." + name + "; class A {}", "package dev.tenon." + name + ".below; class B {}"));
        assertThat(ArrowRules.noPackageForLeftovers()
                        .evaluate(classes)
                        .getFailureReport()
                        .getDetails())
                .hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "static int n;",
                "static final java.util.concurrent.atomic.AtomicLong N = null;",
                "static final java.util.concurrent.atomic.LongAdder N = null;",
                "static final java.util.HashMap<String, String> M = null;",
                "static final java.util.ArrayDeque<String> D = null;",
                "static final java.util.Queue<String> Q = null;",
                "static final java.util.concurrent.locks.Lock L = null;",
                "static final java.util.concurrent.locks.ReentrantLock L = null;",
                "static final java.util.concurrent.locks.ReadWriteLock L = null;",
                "static final java.util.concurrent.locks.StampedLock L = null;",
                "static final java.util.concurrent.Semaphore S = null;",
                "static final java.util.concurrent.CountDownLatch L = null;",
                "static final java.util.concurrent.CompletableFuture<String> F = null;",
                "static final java.util.concurrent.ExecutorService E = null;",
                "static final java.util.Timer T = null;",
                "static final Thread T = null;",
                "static final ThreadLocal<String> T = null;",
                "static final StringBuilder B = null;",
                "static final java.util.Random R = null;",
                "static final java.util.BitSet B = null;",
                "static final int[] TABLE = {};"
            })
    void findsEachStaticThatChanges(String field) {
        JavaClasses classes = compiled(List.of("package dev.tenon.lock; class A { " + field + " }"));
        assertThat(ArrowRules.nothingStaticChanges()
                        .evaluate(classes)
                        .getFailureReport()
                        .getDetails())
                .hasSize(1);
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

    @Test
    void coreHasTenPublicTypesAtMost() {
        assertThat(CLASSES.stream()
                        .filter(type -> type.getPackageName().equals("dev.tenon"))
                        .filter(type ->
                                type.isTopLevelClass() && type.getModifiers().contains(JavaModifier.PUBLIC)))
                .hasSizeBetween(1, 10);
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
                .importPaths(modules.stream()
                        // Generated from the .proto files, all of it.
                        .filter(module -> !module.path().equals("protocol"))
                        .map(Module::classes)
                        .filter(Files::isDirectory)
                        .toList());
    }

    private JavaClasses compiled(List<String> sources) {
        return new ClassFileImporter().importPath(Compiled.into(folder, sources.toArray(String[]::new)));
    }
}
