package dev.tenon.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.architecture.Repository.Module;
import dev.tenon.architecture.Repository.Source;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class SourceRulesTest {
    @Test
    void mainSourcesKeepTheRules() {
        List<Source> sources = Repository.modules().stream()
                .flatMap(module -> module.mainSources().stream())
                .toList();
        assertThat(sources)
                .extracting(Source::file)
                .contains(
                        "core/src/main/java/dev/tenon/TimeSource.java",
                        "capabilities/lock/src/main/java/dev/tenon/lock/spi/LockMachine.java");
        assertThat(SourceRules.violations(sources)).isEmpty();
    }

    @Test
    void nothingSleepsAndNoTestIsSwitchedOff() {
        List<Source> sources = Repository.modules().stream()
                .flatMap(module -> Stream.concat(module.mainSources().stream(), module.testSources().stream()))
                .toList();
        assertThat(sources).extracting(Source::file).anyMatch(file -> file.contains("src/test/java"));
        assertThat(TestRules.violations(sources)).isEmpty();
    }

    @Test
    void everyPackageIsNullMarkedAndSaysWhatItIsFor() {
        List<Source> sources = Repository.published().stream()
                .map(Module::mainSources)
                .flatMap(List::stream)
                .toList();
        List<String> packages =
                sources.stream().map(SourceRulesTest::folder).distinct().toList();
        List<String> marked = sources.stream()
                .filter(source -> source.file().endsWith("/package-info.java"))
                .filter(source ->
                        source.text().contains("@NullMarked") && source.text().startsWith("/**"))
                .map(SourceRulesTest::folder)
                .toList();
        assertThat(packages).isNotEmpty();
        assertThat(marked).containsExactlyInAnyOrderElementsOf(packages);
    }

    @ParameterizedTest
    @MethodSource
    void findsWhatIsWrong(String source, String expected) {
        assertThat(violations("backends/redis", source))
                .anySatisfy(found -> assertThat(found).startsWith("X.java:").contains(expected));
    }

    static Stream<Arguments> findsWhatIsWrong() {
        return Stream.of(
                Arguments.of("class A { void m() {\n" + "//\n".repeat(60) + "} }", "m has 62 lines"),
                Arguments.of("class A { void m(int a, int b, int c, int d, int e, int f) {} }", "m has 6 parameters"),
                Arguments.of("class A { A(int a, int b, int c, int d, int e, int f) {} }", "<init> has 6 parameters"),
                Arguments.of("record R(int a) { void m(int a, int b, int c, int d, int e, int f) {} }", "6 parameters"),
                Arguments.of("class A { static {\n" + "//\n".repeat(60) + "} }", "an initializer has 62 lines"),
                Arguments.of("class A { {\n" + "//\n".repeat(60) + "} }", "an initializer has 62 lines"),
                Arguments.of("class A { void m(Thread t) { t.setDaemon(true); } }", "setDaemon: let DaemonThreads"),
                Arguments.of("class A extends Thread { A() { setDaemon(true); } }", "setDaemon: let DaemonThreads"),
                Arguments.of("class A { Thread t = new Thread() { { setDaemon(true); } }; }", "setDaemon"),
                Arguments.of("class A { synchronized void m() {} }", "synchronized"),
                Arguments.of(
                        "class A { void m() { Runnable r = () -> { synchronized (this) { } }; } }", "synchronized"),
                Arguments.of("class LockImpl {}", "LockImpl says nothing"),
                Arguments.of("class A { class LockManager {} }", "LockManager says nothing"),
                Arguments.of("interface TimeUtils {}", "TimeUtils says nothing"),
                Arguments.of("class LockHelpers {}", "LockHelpers says nothing"),
                Arguments.of("class UtilOfLocks {}", "UtilOfLocks says nothing"),
                Arguments.of("enum CommonNames { A }", "CommonNames says nothing"),
                Arguments.of("record LockImpl2(int a) {}", "LockImpl2 says nothing"),
                Arguments.of("/** A. */ public interface LockStore {}", "only in spi"),
                Arguments.of("abstract class LockStoreContract {}", "only in testkit"),
                Arguments.of("/** A. */ public class A {}", "A is public and open"),
                Arguments.of("/** A. */ public abstract class A {}", "A is public and open"),
                Arguments.of("/** A. */ public interface A { class B {} }", "B is public and open"),
                Arguments.of("/** A. */ public class AnException extends RuntimeException {}", "open"),
                Arguments.of("/** A. */ public interface A { void m(long timeoutMillis); }", "Duration"),
                Arguments.of("/** A. */ public interface A { void m(int ttl); }", "int ttl: take a Duration"),
                Arguments.of("/** A. */ public interface A { void m(Long leaseTime); }", "Long leaseTime"),
                Arguments.of("/** A. */ public final class A { public A(int delay) {} }", "int delay"),
                Arguments.of("/** A. */ public record A(long leaseMillis) {}", "long leaseMillis"),
                Arguments.of("/** A. */ public interface A { String getName(); }", "accessor getName"),
                Arguments.of("/** A. */ public final class A { protected int getX() { return 1; } }", "accessor getX"),
                Arguments.of(
                        "class A { static final java.util.Map<String, String> M = new java.util.HashMap<>(); }", "M"),
                Arguments.of(
                        "interface A { java.util.Map<String, String> M = new java.util.HashMap<>(); }", "static M"),
                Arguments.of("class A { static final Queue<String> Q = new PriorityQueue<>(); }", "mutable static Q"),
                Arguments.of("class A { static final Map<String, String> P = new Properties(); }", "mutable static P"),
                Arguments.of(
                        "class A { static final Set<String> S = ConcurrentHashMap.newKeySet(); }", "mutable static S"),
                Arguments.of(
                        "class A { static final List<String> L = Collections.synchronizedList(x()); }",
                        "mutable static L"),
                Arguments.of("class A { void m() { System.out.println(); } }", "System.out in a library"),
                Arguments.of("public final class A {}", "A is public and has no Javadoc"),
                Arguments.of("/** A. */ public interface A { void m(); }", "m is public and has no Javadoc"),
                Arguments.of("class A {} // TODO more", "unfinished"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "class A { void m() {\n//\n} }",
                "record R(int a, int b, int c, int d, int e, int f) { R { } }",
                "record R(int a, int b, int c, int d, int e, int f) { R(int a, int b, int c, int d, int e, int f) {} }",
                "class A { void m(Thread t) { t.isDaemon(); } }",
                "class Commonality { class Utility {} class Helped {} }",
                "record R(int a, int b, int c, int d, int e, int f) { R(int a) { this(a, a, a, a, a, a); } }",
                "class A implements B { @Override public void m(int a, int b, int c, int d, int e, int f) {} }",
                "/** A. */ public final class A { void m(long timeoutMillis) {} }",
                "/** A. */ public interface A { /** M. */ void m(java.time.Duration timeout, int count, boolean wait); }",
                "/** A. */ public final class A implements B { @Override public String getMessage() { return null; } }",
                "/** A. */ public final class A { /** M. */ public int getaway() { return 1; } }",
                "/** A. */ public sealed class A {} final class B extends A {}",
                "/** A. */ public class AException extends RuntimeException {} final class B extends AException {}",
                "class A { static final java.util.Map<String, String> M = java.util.Map.of(); }",
                "class A { private final java.util.Map<String, String> m = new java.util.HashMap<>(); }"
            })
    void findsNothingWrong(String source) {
        assertThat(violations("backends/redis", source)).isEmpty();
    }

    @Test
    void anExceptionHasAReason() {
        String reason = "@OverLimit(\"a generated table that nobody reads\") ";
        String method = "void m(int a, int b, int c, int d, int e, int f) {\n" + "//\n".repeat(60) + "}";
        assertThat(violations("core", "class A { " + reason + method + " }")).isEmpty();
        assertThat(violations("core", "class A { @OverLimit(\"\") " + method + " }"))
                .hasSize(2);
        assertThat(violations("core", "class A { @OverLimit " + method + " }")).hasSize(2);
    }

    @Test
    void contractsAreOpenAndOnlyInTestkit() {
        assertThat(violations("testkit", "/** A. */ public abstract class AContract {}"))
                .isEmpty();
        assertThat(violations("testkit", "/** A. */ public abstract class A {}"))
                .isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "class A { void m() throws Exception { Thread.sleep(1); } }",
                "class A { void m() throws Exception { java.lang.Thread.sleep(1); } }",
                "class A { void m() throws Exception { Thread.currentThread().sleep(1); } }",
                "class A { void m() throws Exception { java.util.concurrent.TimeUnit.SECONDS.sleep(1); } }",
                "class A { void m(java.util.concurrent.TimeUnit unit) throws Exception { unit.sleep(1); } }",
                "import static java.util.concurrent.TimeUnit.SECONDS; class A { void m() { SECONDS.sleep(1); } }",
                "import static java.lang.Thread.sleep; class A { void m() { sleep(1); } }",
                "class A { Pause p = Thread::sleep; }",
                "import org.junit.jupiter.api.Disabled; class A {}",
                "import org.junit.jupiter.api.*; @Disabled class A {}",
                "class A { @org.junit.jupiter.api.Disabled(\"later\") void m() {} }",
                "import org.junit.jupiter.api.condition.*; class A {}",
                "class A { @DisabledOnOs(OS.LINUX) void m() {} }",
                "class A { @EnabledIfEnvironmentVariable(named = \"CI\", matches = \"1\") void m() {} }",
                "class A { @EnabledForJreRange(min = JRE.JAVA_21) void m() {} }",
                "import org.junit.Ignore; class A {}",
                "import static org.junit.jupiter.api.Assumptions.assumeTrue; class A {}",
                "class A { void m() { org.junit.jupiter.api.Assumptions.assumeTrue(false); } }",
                "class A { void m() { assumingThat(false, () -> {}); } }",
                "import static org.assertj.core.api.Assumptions.assumeThat; class A {}",
                "class A { void m() { throw new org.opentest4j.TestAbortedException(); } }"
            })
    void findsSleepersAndTestsThatAreSwitchedOff(String source) {
        assertThat(TestRules.violations(List.of(new Source("backends/redis", "X.java", source))))
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "class A { void m() { sleepless(); Thread.onSpinWait(); } boolean sleep; }",
                "class A { @EnabledFeature void m() { assured(); presume(); } @EnableScheduling class B {} }",
                "import org.junit.jupiter.api.Test; class A { @Test void m() {} }"
            })
    void letsTestsRun(String source) {
        assertThat(TestRules.violations(List.of(new Source("backends/redis", "X.java", source))))
                .isEmpty();
    }

    @Test
    void testkitWaitsForRealServers() {
        Source source = new Source("testkit", "X.java", "class A { void m() { Thread.sleep(1); assumeTrue(false); } }");
        assertThat(TestRules.violations(List.of(source)))
                .hasSize(1)
                .allMatch(found -> found.contains("proves nothing"));
    }

    private static List<String> violations(String module, String source) {
        return SourceRules.violations(List.of(new Source(module, "X.java", source)));
    }

    private static String folder(Source source) {
        return source.file().substring(0, source.file().lastIndexOf('/'));
    }
}
