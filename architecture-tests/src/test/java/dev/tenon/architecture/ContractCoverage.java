package dev.tenon.architecture;

import com.sun.source.tree.ClassTree;
import com.sun.source.util.TreePathScanner;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import dev.tenon.architecture.Repository.Source;
import dev.tenon.architecture.SourceRules.Parsed;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;

/**
 * Every implementation of an SPI interface {@code S} has a test class that extends {@code SContract}, directly or not, and
 * that surefire runs. Where a module implements one interface twice, the test of each names its implementation.
 */
final class ContractCoverage {
    private static final Pattern RUN_BY_SUREFIRE = Pattern.compile("Test.*|.*Tests?|.*TestCase");
    private static final Pattern SPI_PACKAGE = Pattern.compile("dev\\.tenon\\.\\w+\\.(spi|engine)");

    /** The test classes of a module by simple name: which class each extends, and what its file says. */
    private final Map<String, TestClass> tests;

    private record TestClass(String name, String superclass, String outermost, boolean concrete, String text) {}

    private ContractCoverage(Map<String, TestClass> known, List<Source> testSources) {
        tests = new HashMap<>(known);
        for (Parsed.Unit unit : Parsed.of(testSources).units()) {
            collect(unit);
        }
    }

    /** With contracts that the tests of any module may extend; they are read once. */
    static ContractCoverage of(List<Source> contracts) {
        return new ContractCoverage(Map.of(), contracts);
    }

    /**
     * What is missing in one module.
     *
     * @param main the module's classes
     * @param testSources the module's test sources
     */
    List<String> missing(JavaClasses main, List<Source> testSources) {
        ContractCoverage coverage = new ContractCoverage(tests, testSources);
        Map<JavaClass, List<JavaClass>> implementations = implementations(main);
        List<String> missing = new ArrayList<>();
        implementations.forEach((spi, classes) -> {
            String contract = spi.getSimpleName() + "Contract";
            for (JavaClass implementation : classes) {
                boolean alone = classes.size() == 1;
                boolean covered = coverage.tests.values().stream()
                        .filter(test -> coverage.isRun(test, contract))
                        .anyMatch(test -> alone || coverage.names(test, implementation.getSimpleName()));
                if (!covered) {
                    missing.add(implementation.getName() + " has no test that extends " + contract);
                }
            }
        });
        missing.sort(null);
        return missing;
    }

    /** The SPI interfaces among these classes: those called …Store or …Source in an spi or engine package. */
    static Set<String> spis(JavaClasses classes) {
        Set<String> names = new TreeSet<>();
        for (JavaClass type : classes) {
            if (isSpi(type)) {
                names.add(type.getSimpleName());
            }
        }
        return names;
    }

    /** The SPI interfaces that a class implements. */
    static Stream<JavaClass> spiOf(JavaClass type) {
        return type.getAllRawInterfaces().stream().filter(ContractCoverage::isSpi);
    }

    /** Simple names of the contracts that a concrete, running test among these sources extends. */
    Set<String> contractsExtended(List<Source> testSources) {
        ContractCoverage coverage = new ContractCoverage(tests, testSources);
        Set<String> extended = new HashSet<>();
        for (TestClass test : coverage.tests.values()) {
            for (String ancestor : coverage.ancestors(test)) {
                if (ancestor.endsWith("Contract") && coverage.isRun(test, ancestor)) {
                    extended.add(ancestor);
                }
            }
        }
        return extended;
    }

    private static Map<JavaClass, List<JavaClass>> implementations(JavaClasses main) {
        Map<JavaClass, List<JavaClass>> found = new HashMap<>();
        for (JavaClass type : main) {
            boolean concrete = !type.isInterface() && !type.getModifiers().contains(JavaModifier.ABSTRACT);
            if (concrete) {
                spiOf(type)
                        .forEach(spi -> found.computeIfAbsent(spi, key -> new ArrayList<>())
                                .add(type));
            }
        }
        return found;
    }

    private static boolean isSpi(JavaClass type) {
        return type.isInterface()
                && SPI_PACKAGE.matcher(type.getPackageName()).matches()
                && type.getSimpleName().matches(".*(Store|Source)");
    }

    private void collect(Parsed.Unit unit) {
        Deque<String> outer = new ArrayDeque<>();
        new TreePathScanner<Void, Void>() {
            @Override
            public Void visitClass(ClassTree type, Void unused) {
                String name = type.getSimpleName().toString();
                String superclass = String.valueOf(type.getExtendsClause());
                String outermost = outer.isEmpty() ? name : outer.peekLast();
                boolean concrete = !type.getModifiers().getFlags().contains(Modifier.ABSTRACT) && !name.isEmpty();
                tests.put(
                        outer.isEmpty() ? name : outermost + "." + name,
                        new TestClass(
                                name,
                                superclass,
                                outermost,
                                concrete,
                                unit.source().text()));
                outer.push(name);
                super.visitClass(type, unused);
                outer.pop();
                return null;
            }
        }.scan(unit.tree(), null);
    }

    private boolean isRun(TestClass test, String contract) {
        return test.concrete
                && RUN_BY_SUREFIRE.matcher(test.outermost).matches()
                && ancestors(test).contains(contract);
    }

    /** Simple names of the superclasses, as far as the module's own test sources tell. */
    private List<String> ancestors(TestClass test) {
        List<String> ancestors = new ArrayList<>();
        TestClass at = test;
        while (at != null && ancestors.size() < 10) {
            String extended = at.superclass.replaceAll("<.*", "").replaceAll(".*\\.", "");
            ancestors.add(extended);
            TestClass beside = tests.get(at.outermost + "." + extended);
            at = beside == null ? tests.get(extended) : beside;
        }
        return ancestors;
    }

    private boolean names(TestClass test, String implementation) {
        Pattern word = Pattern.compile("\\b" + Pattern.quote(implementation) + "(Test|Tests)?\\b");
        return Stream.concat(Stream.of(test), ancestors(test).stream().map(tests::get))
                .anyMatch(found -> found != null && word.matcher(found.text).find());
    }
}
