package dev.tenon.architecture;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import dev.tenon.lock.DistributedLock;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.LockStore;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The way of an acquire from the library to each kind of store, as a picture. */
final class AcquireMap {
    private static final String LOCK = "dev.tenon.lock";

    /**
     * Each backend, and the package to which its calls leave Tenon; those without one keep their state in the process.
     */
    private static final Map<String, String> DRIVERS = new TreeMap<>(Map.of(
            "client", "io.grpc",
            "etcd", "io.grpc",
            "jdbc", "java.sql",
            "memory", "",
            "raft", "org.apache.ratis",
            "redis", "io.lettuce",
            "zookeeper", "org.apache.zookeeper"));

    private AcquireMap() {}

    /** The picture in Mermaid's language. */
    static String draw(JavaClasses classes) {
        StringBuilder text = new StringBuilder("flowchart LR\n");
        Set<String> arrows = new LinkedHashSet<>();
        add(arrows, library(classes));
        for (Map.Entry<String, String> driver : DRIVERS.entrySet()) {
            Predicate<JavaClass> module = type -> isIn(type, "dev.tenon." + driver.getKey());
            List<JavaClass> toMachine =
                    fromStore(classes, module, target -> target.getOwner().isEquivalentTo(LockMachine.class));
            List<JavaClass> out = driver.getValue().isEmpty() ? List.of() : out(classes, module, driver.getValue());
            if (toMachine.isEmpty() && out.isEmpty()) {
                throw new AssertionError("No way of an acquire in " + driver.getKey());
            }
            add(arrows, named(toMachine));
            if (!out.isEmpty()) {
                List<String> names = named(out.subList(0, out.size() - 1));
                add(arrows, names);
                arrows.add(names.get(names.size() - 1) + " --> " + driver.getKey() + "[(\"" + driver.getKey() + ": "
                        + driver.getValue() + "\")]");
            }
        }
        arrows.forEach(arrow -> text.append("    ").append(arrow).append('\n'));
        return text.toString();
    }

    private static List<String> library(JavaClasses classes) {
        List<JavaMethod> start = classes.get(DistributedLock.class).getMethods().stream()
                .filter(method -> method.getName().equals("acquire"))
                .toList();
        return named(new CallPath(type -> isIn(type, LOCK))
                .shortest(
                        start,
                        target -> target.getName().equals("acquire")
                                && target.getOwner().isEquivalentTo(LockStore.class)));
    }

    /** From the stores of a module, or, if it has none, from those of the engine over what the module has. */
    private static List<JavaClass> fromStore(
            JavaClasses classes, Predicate<JavaClass> module, Predicate<CodeUnitAccessTarget> goal) {
        List<JavaMethod> own = acquires(classes, module);
        CallPath path = new CallPath(type ->
                module.test(type) || isIn(type, LOCK) && (own.isEmpty() || !type.isAssignableTo(LockStore.class)));
        return path.shortest(own.isEmpty() ? acquires(classes, type -> isIn(type, LOCK)) : own, goal);
    }

    /**
     * To the driver; where a thread takes the calls from a queue, which ends a way of calls, the way of what the
     * classes use.
     */
    private static List<JavaClass> out(JavaClasses classes, Predicate<JavaClass> module, String driver) {
        List<JavaClass> calls = fromStore(classes, module, target -> isIn(target.getOwner(), driver));
        if (!calls.isEmpty()) {
            return calls;
        }
        Set<JavaClass> stores =
                acquires(classes, module).stream().map(JavaMethod::getOwner).collect(Collectors.toSet());
        return CallPath.ofUses(stores, module, type -> isIn(type, driver));
    }

    private static List<JavaMethod> acquires(JavaClasses classes, Predicate<JavaClass> module) {
        return classes.stream()
                .filter(type -> module.test(type) && type.isAssignableTo(LockStore.class))
                .flatMap(type -> type.getMethods().stream())
                .filter(method -> method.getName().equals("acquire")
                        && !method.getModifiers().contains(JavaModifier.ABSTRACT)
                        && !method.getModifiers().contains(JavaModifier.BRIDGE))
                .sorted((a, b) -> a.getFullName().compareTo(b.getFullName()))
                .toList();
    }

    private static void add(Set<String> arrows, List<String> way) {
        if (!way.isEmpty() && !way.get(0).equals("DistributedLock")) {
            arrows.add("LockStore --> " + way.get(0));
        }
        IntStream.range(1, way.size()).forEach(i -> arrows.add(way.get(i - 1) + " --> " + way.get(i)));
    }

    private static List<String> named(List<JavaClass> way) {
        return way.stream().map(JavaClass::getSimpleName).collect(Collectors.toList());
    }

    private static boolean isIn(JavaClass type, String pack) {
        return type.getPackageName().equals(pack) || type.getPackageName().startsWith(pack + ".");
    }
}
