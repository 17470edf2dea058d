package dev.tenon.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.tenon.architecture.Repository.Module;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PackageCirclesTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @MethodSource
    void noModuleHasACircleOfPackages(Module module) {
        assertThat(PackageCircles.among(ArchitectureTest.classesOf(module))).isEmpty();
    }

    static Stream<Module> noModuleHasACircleOfPackages() {
        return Repository.modules().stream()
                .filter(module -> !module.mainSources().isEmpty());
    }

    @Test
    void namesTwoPackagesThatNeedEachOther() {
        assertThat(circles(
                        "package dev.tenon.tx; public class Core { dev.tenon.tx.saga.Mode mode; }",
                        "package dev.tenon.tx.saga; public class Mode { dev.tenon.tx.Core core; }"))
                .containsExactly("A circle of packages: dev.tenon.tx → dev.tenon.tx.saga → dev.tenon.tx"
                        + "\n    dev.tenon.tx.Core → dev.tenon.tx.saga.Mode"
                        + "\n    dev.tenon.tx.saga.Mode → dev.tenon.tx.Core");
    }

    @Test
    void namesTheShortestWayRoundALongCircle() {
        assertThat(circles(
                        "package a; public class A { b.B[] next; }",
                        "package b; public class B { static class Inner { void call() { c.C.run(); } } }",
                        "package c; public class C { public static void run() {} public a.A back() { return null; } }",
                        "package d; public class D { a.A a; b.B b; c.C c; }"))
                .containsExactly("A circle of packages: a → b → c → a\n    a.A → b.B\n    b.B → c.C\n    c.C → a.A");
    }

    @Test
    void namesACircleThatOnlyAnAnnotationOrAnExceptionCloses() {
        assertThat(circles(
                        "package a; public @interface A {}",
                        "package a; public class Uses { void m() { try { new b.B(); } catch (b.Failed e) { } } }",
                        "package b; @a.A public class B {}",
                        "package b; public class Failed extends RuntimeException {}"))
                .hasSize(1);
    }

    @Test
    void namesEachOfTwoCirclesThatHaveNothingToDoWithEachOther() {
        assertThat(circles(
                        "package a; public class A { b.B b; }",
                        "package b; public class B { a.A a; c.C c; }",
                        "package c; public class C { d.D d; }",
                        "package d; public class D { c.C c; }"))
                .hasSize(2);
    }

    @Test
    void letsLayersAndOtherModulesBe() {
        assertThat(circles(
                        "package a; public class A { b.B b; c.C c; String text; dev.tenon.lock.spi.LockStore store; }",
                        "package b; public class B { c.C c; }",
                        "package c; public class C { Other other; }",
                        "package c; public class Other { C c; }"))
                .isEmpty();
    }

    private List<String> circles(String... sources) {
        return PackageCircles.among(new ClassFileImporter().importPath(Compiled.into(folder, sources)));
    }
}
