package dev.tenon.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import dev.tenon.architecture.Repository.Module;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each arrow that the tables forbid, broken by a class of its own, and each that they allow: the rules must find the
 * former and no more. What the tables name must be there, as a wrong name forbids nothing.
 */
class ArrowRulesTest {
    private static final Pattern FOUND = Pattern.compile("([\\w-]+) must not see ([\\w.]+|a library of no row): .*");

    /** Types of the rows that are the JDK's packages, to which no class can be added. */
    private static final Map<String, String> IN_THE_JDK = Map.of(
            "java.sql", "java.sql.Connection",
            "javax.sql", "javax.sql.DataSource",
            "javax.transaction.xa", "javax.transaction.xa.XAResource",
            "com.sun.management", "com.sun.management.OperatingSystemMXBean",
            "com.sun.net.httpserver", "com.sun.net.httpserver.HttpServer");

    @TempDir
    Path folder;

    @Test
    void findsEachArrowThatIsNotInTheTable() {
        Set<String> modules = ArrowRules.ARROWS.keySet();
        List<String> sources = new ArrayList<>();
        Map<String, Set<String>> forbidden = new TreeMap<>();
        for (String to : modules) {
            sources.add("package " + packageOf(to) + "; public class Target {}");
        }
        for (String from : modules) {
            for (String to : modules) {
                sources.add(
                        "package %s; class Sees_%s { %s.Target seen; }".formatted(packageOf(from), to, packageOf(to)));
                if (!from.equals(to) && !ArrowRules.ARROWS.get(from).contains(to)) {
                    forbidden.computeIfAbsent(from, key -> new TreeSet<>()).add(to);
                }
            }
        }
        assertThat(forbidden.keySet()).containsAll(without(modules, ArrowRules.SHOW_EVERYTHING));
        assertThat(forbidden).isEqualTo(found(ArrowRules.arrowsOfTheTable(), sources));
    }

    @Test
    void findsEachLibraryWhereTheTableHasItNot() {
        Set<String> modules = ArrowRules.ARROWS.keySet();
        List<String> sources = new ArrayList<>();
        Map<String, Set<String>> forbidden = new TreeMap<>();
        int row = 0;
        for (Map.Entry<String, Set<String>> library : ArrowRules.LIBRARIES.entrySet()) {
            row++;
            String target = IN_THE_JDK.get(library.getKey());
            if (target == null) {
                target = library.getKey() + ".Target";
                sources.add("package " + library.getKey() + "; public class Target {}");
            }
            for (String from : modules) {
                sources.add("package %s; class Sees_%d { %s seen; }".formatted(packageOf(from), row, target));
                if (!library.getValue().contains(from) && !ArrowRules.SHOW_EVERYTHING.contains(from)) {
                    forbidden.computeIfAbsent(from, key -> new TreeSet<>()).add(library.getKey());
                }
            }
        }
        assertThat(forbidden.keySet()).isEqualTo(without(modules, ArrowRules.SHOW_EVERYTHING));
        assertThat(found(ArrowRules.librariesStayInTheirModules(), sources)).isEqualTo(forbidden);
    }

    @Test
    void findsALibraryOfNoRowAndAPackageBelowOne() {
        assertThat(found(
                        ArrowRules.librariesStayInTheirModules(),
                        List.of(
                                "package org.unheardof; public class Target {}",
                                "package picocli.below; public class Target {}",
                                "package picocliother; public class Target {}",
                                "package dev.tenon.redis; class A { org.unheardof.Target t; }",
                                "package dev.tenon.etcd; class A { picocli.below.Target[] t; }",
                                "package dev.tenon.cli; class A { picocliother.Target t; }",
                                "package dev.tenon.raft; class A { javax.naming.Context c; }",
                                "package dev.tenon.examples; class A { org.unheardof.Target t; }")))
                .isEqualTo(Map.of(
                        "redis", Set.of("a library of no row"),
                        "etcd", Set.of("picocli"),
                        "cli", Set.of("a library of no row"),
                        "raft", Set.of("a library of no row")));
    }

    /**
     * A row whose package is a library's name but none of its packages, and a module that sees it no more, allow what
     * is not there.
     */
    @Test
    void eachLibraryOfTheTableIsSeenByEachOfItsModules() {
        assertThat(ArrowRules.librariesSeen(ArchitectureTest.CLASSES)).isEqualTo(new TreeMap<>(ArrowRules.LIBRARIES));
    }

    @Test
    void aLibraryIsSeenByItsPackageOnly() {
        JavaClasses classes = compiled(List.of(
                "package info.picocli; public class Target {}",
                "package picocli; public class Target {}",
                "package dev.tenon.cli; class A { info.picocli.Target t; }",
                "package dev.tenon.server; class A { picocli.Target t; }"));
        assertThat(ArrowRules.librariesSeen(classes)).isEqualTo(Map.of("picocli", Set.of("server")));
    }

    /** The generated classes of {@code protocol} are not read, and those of the benchmarks may not be built yet. */
    @Test
    void eachModuleOfTheTableIsThere() {
        assertThat(ArrowRules.modules(ArchitectureTest.CLASSES))
                .containsAll(without(ArrowRules.ARROWS.keySet(), Set.of("protocol", "benchmarks")));
        assertThat(Repository.modules()).extracting(Module::path).contains("protocol", "benchmarks");
        assertThat(ArrowRules.modules(compiled(List.of("package dev.tenon.lock.spi; class A {}"))))
                .containsExactly("lock");
    }

    /** What the rule finds, by the module that sees. */
    private Map<String, Set<String>> found(ArchRule rule, List<String> sources) {
        Map<String, Set<String>> found = new TreeMap<>();
        for (String line : rule.evaluate(compiled(sources)).getFailureReport().getDetails()) {
            Matcher matcher = FOUND.matcher(line);
            assertThat(matcher.matches()).as(line).isTrue();
            found.computeIfAbsent(matcher.group(1), key -> new TreeSet<>()).add(matcher.group(2));
        }
        return found;
    }

    private JavaClasses compiled(List<String> sources) {
        return new ClassFileImporter().importPath(Compiled.into(folder, sources.toArray(String[]::new)));
    }

    private static String packageOf(String module) {
        return module.equals("core") ? "dev.tenon" : "dev.tenon." + module;
    }

    private static Set<String> without(Set<String> all, Set<String> some) {
        return all.stream().filter(one -> !some.contains(one)).collect(Collectors.toCollection(TreeSet::new));
    }
}
