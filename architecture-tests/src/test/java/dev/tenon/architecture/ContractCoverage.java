package dev.tenon.architecture;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.util.TreePathScanner;
import com.tngtech.archunit.core.domain.Dependency;
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
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;

/**
 * Every class of a backend or the client that implements an interface {@code S} of an {@code spi} package has a test
 * class that extends {@code SContract}, directly or not, and that the test command runs. Where a module implements one
 * interface twice, the test of each names its implementation. No test replaces one of its contract's.
 *
 * <p>Callbacks are no such interfaces: what a method of another one of them takes as an argument is for its callers to
 * implement.
 */
final class ContractCoverage {
    private static final Pattern RUN_BY_SUREFIRE = Pattern.compile("Test.*|.*Tests?|.*TestCase");
    private static final Pattern SPI_PACKAGE = Pattern.compile("dev\\.tenon(\\.\\w+)*\\.spi(\\.\\w+)*");

    /** Seams elsewhere: that of stores with registers is beside the engine which stands on it. */
    private static final Set<String> OTHER_SEAMS = Set.of("dev.tenon.lock.engine.RegisterStore");

    private static final Pattern COMMENT = Pattern.compile("/\\*(?s:.*?)\\*/|(?<![:\"])//[^\\n]*");
    private static final Set<String> TEST_ANNOTATIONS =
            Set.of("Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate");

    /** The test classes of a module by simple name: which class each extends, and what its file says. */
    private final Map<String, TestClass> tests;

    /**
     * A class among test sources.
     *
     * @param run whether it is concrete, and JUnit finds it where it stands: on top, or nested and marked as such
     * @param soak whether it is tagged as long, so that the test command leaves it out
     * @param methods the names of its methods
     * @param testMethods of those, the ones that are tests
     * @param text the code of its file, without comments
     */
    private record TestClass(
            String superclass,
            String outermost,
            boolean run,
            boolean soak,
            Set<String> methods,
            Set<String> testMethods,
            String file,
            String text) {}

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
            if (coverage.tests.get(contract) != tests.get(contract)) {
                missing.add(contract + " is a class of the tests of this module, and not of testkit");
            }
            for (JavaClass implementation : classes) {
                boolean alone = classes.size() == 1;
                boolean covered = coverage.tests.values().stream()
                        .filter(test -> coverage.isRun(test, contract) && !test.soak)
                        .anyMatch(test -> alone || coverage.names(test, name(implementation)));
                if (!covered) {
                    missing.add(implementation.getName() + " has no test that extends " + contract);
                }
            }
        });
        missing.sort(null);
        return missing;
    }

    /**
     * Tests of a module that replace one of the contract that their class extends: what they leave out is not checked.
     */
    List<String> replaced(List<Source> testSources) {
        ContractCoverage coverage = new ContractCoverage(tests, testSources);
        List<String> replaced = new ArrayList<>();
        for (TestClass test : coverage.tests.values()) {
            for (String ancestor : coverage.ancestors(test)) {
                TestClass contract = coverage.tests.get(ancestor);
                if (contract != null && ancestor.endsWith("Contract")) {
                    contract.testMethods.stream()
                            .filter(test.methods::contains)
                            .forEach(method -> replaced.add(test.file + " replaces " + ancestor + "." + method));
                }
            }
        }
        replaced.sort(null);
        return replaced;
    }

    /** Whether a contract, or one that it extends, has a test. */
    boolean hasTests(String contract) {
        TestClass found = tests.get(contract);
        return found != null
                && Stream.concat(Stream.of(contract), ancestors(found).stream())
                        .map(tests::get)
                        .anyMatch(type -> type != null && !type.testMethods.isEmpty());
    }

    /** The interfaces that classes of these modules implement, of those in spi packages. */
    static Set<String> spis(JavaClasses classes, Set<String> modules) {
        Set<String> names = new TreeSet<>();
        for (JavaClass type : classes) {
            if (modules.contains(ArrowRules.module(type)) && !type.isInterface()) {
                spiOf(type).forEach(spi -> names.add(spi.getSimpleName()));
            }
        }
        return names;
    }

    /** The interfaces of spi packages that a class implements, but for callbacks. */
    static Stream<JavaClass> spiOf(JavaClass type) {
        return type.getAllRawInterfaces().stream().filter(ContractCoverage::isSpi);
    }

    /**
     * Simple names of the contracts that a concrete test among these sources extends, of the test command or of the
     * long runs.
     */
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
        return isInSpiPackage(type) && !isCallback(type);
    }

    private static boolean isInSpiPackage(JavaClass type) {
        return type.isInterface()
                && !type.isAnnotation()
                && (SPI_PACKAGE.matcher(type.getPackageName()).matches() || OTHER_SEAMS.contains(type.getName()));
    }

    private static boolean isCallback(JavaClass type) {
        return type.getDirectDependenciesToSelf().stream()
                .map(Dependency::getOriginClass)
                .filter(taker -> isInSpiPackage(taker) && !taker.equals(type))
                .flatMap(taker -> taker.getMethods().stream())
                .anyMatch(method -> method.getRawParameterTypes().contains(type));
    }

    /** The simple name; of a class without one, that of the class round it. */
    private static String name(JavaClass type) {
        return type.getSimpleName().isEmpty()
                ? type.getEnclosingClass().map(ContractCoverage::name).orElseThrow()
                : type.getSimpleName();
    }

    private void collect(Parsed.Unit unit) {
        Deque<ClassTree> outer = new ArrayDeque<>();
        String text = COMMENT.matcher(unit.source().text()).replaceAll("");
        new TreePathScanner<Void, Void>() {
            @Override
            public Void visitClass(ClassTree type, Void unused) {
                String name = type.getSimpleName().toString();
                String outermost = outer.isEmpty()
                        ? name
                        : outer.peekLast().getSimpleName().toString();
                tests.put(
                        outer.isEmpty() ? name : outermost + "." + name,
                        new TestClass(
                                String.valueOf(type.getExtendsClause()),
                                outermost,
                                isRun(type, outer),
                                isSoak(type, outer),
                                methods(type, false),
                                methods(type, true),
                                unit.source().file(),
                                text));
                outer.push(type);
                super.visitClass(type, unused);
                outer.pop();
                return null;
            }
        }.scan(unit.tree(), null);
    }

    private static boolean isRun(ClassTree type, Deque<ClassTree> outer) {
        boolean concrete = !type.getModifiers().getFlags().contains(Modifier.ABSTRACT)
                && !type.getSimpleName().isEmpty();
        boolean inside = outer.isEmpty()
                || has(type.getModifiers(), "Nested")
                        && outer.stream()
                                .noneMatch(o -> o.getModifiers().getFlags().contains(Modifier.ABSTRACT));
        return concrete && inside;
    }

    private static boolean isSoak(ClassTree type, Deque<ClassTree> outer) {
        return Stream.concat(Stream.of(type), outer.stream())
                .flatMap(t -> t.getModifiers().getAnnotations().stream())
                .anyMatch(annotation -> annotation.toString().matches("@(\\w+\\.)*Tag\\(\"soak\"\\)"));
    }

    private static Set<String> methods(ClassTree type, boolean testsOnly) {
        return type.getMembers().stream()
                .filter(MethodTree.class::isInstance)
                .map(MethodTree.class::cast)
                .filter(method ->
                        !testsOnly || TEST_ANNOTATIONS.stream().anyMatch(name -> has(method.getModifiers(), name)))
                .map(method -> method.getName().toString())
                .collect(Collectors.toSet());
    }

    private static boolean has(ModifiersTree modifiers, String annotation) {
        return modifiers.getAnnotations().stream()
                .map(found -> found.getAnnotationType().toString())
                .anyMatch(name -> name.equals(annotation) || name.endsWith("." + annotation));
    }

    private boolean isRun(TestClass test, String contract) {
        return test.run
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
