package dev.tenon.architecture;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The shortest way of calls from one method to another, by the class files; a call of an interface of ours goes to each
 * that implements it.
 */
final class CallPath {
    private static final Comparator<JavaCodeUnitAccess<?>> IN_ORDER = Comparator.<JavaCodeUnitAccess<?>>comparingInt(
                    JavaCodeUnitAccess::getLineNumber)
            .thenComparing(call -> call.getTarget().getFullName());

    private final Predicate<JavaClass> within;

    /** @param within classes that the way may go through */
    CallPath(Predicate<JavaClass> within) {
        this.within = within;
    }

    /**
     * The classes on the way to the first call that is meant, without repetition, the first and the last included;
     * empty if there is none.
     */
    List<JavaClass> shortest(Collection<? extends JavaCodeUnit> starts, Predicate<CodeUnitAccessTarget> goal) {
        Map<JavaCodeUnit, @Nullable JavaCodeUnit> cameFrom = new HashMap<>();
        Deque<JavaCodeUnit> open = new ArrayDeque<>();
        starts.forEach(start -> {
            cameFrom.put(start, null);
            open.add(start);
        });
        while (!open.isEmpty()) {
            JavaCodeUnit at = open.remove();
            List<JavaCodeUnitAccess<?>> calls = calls(at);
            for (JavaCodeUnitAccess<?> call : calls) {
                if (goal.test(call.getTarget())) {
                    return classes(cameFrom, at, call.getTargetOwner());
                }
            }
            for (JavaCodeUnitAccess<?> call : calls) {
                targets(call.getTarget())
                        .filter(next -> within.test(next.getOwner()) && !cameFrom.containsKey(next))
                        .sorted(Comparator.comparing(JavaCodeUnit::getFullName))
                        .forEach(next -> {
                            cameFrom.put(next, at);
                            open.add(next);
                        });
            }
        }
        return List.of();
    }

    /**
     * The shortest way of classes of which each uses the next, or has it as an implementation; as {@link #shortest}.
     */
    static List<JavaClass> ofUses(Set<JavaClass> starts, Predicate<JavaClass> within, Predicate<JavaClass> goal) {
        Map<JavaClass, @Nullable JavaClass> cameFrom = new HashMap<>();
        Deque<JavaClass> open = new ArrayDeque<>();
        starts.stream().sorted(Comparator.comparing(JavaClass::getName)).forEach(start -> {
            cameFrom.put(start, null);
            open.add(start);
        });
        while (!open.isEmpty()) {
            JavaClass at = open.remove();
            List<JavaClass> next = used(at);
            Optional<JavaClass> end = next.stream().filter(goal).findFirst();
            if (end.isPresent()) {
                List<JavaClass> way = new ArrayList<>(List.of(end.get()));
                for (JavaClass type = at; type != null; type = cameFrom.get(type)) {
                    addOutermost(way, type);
                }
                return way;
            }
            next.stream()
                    .filter(type -> within.test(type) && !cameFrom.containsKey(type))
                    .forEach(type -> {
                        cameFrom.put(type, at);
                        open.add(type);
                    });
        }
        return List.of();
    }

    private static List<JavaClass> used(JavaClass type) {
        return Stream.concat(
                        type.getDirectDependenciesFromSelf().stream().map(Dependency::getTargetClass),
                        type.getAllSubclasses().stream())
                .distinct()
                .sorted(Comparator.comparing(JavaClass::getName))
                .toList();
    }

    private static List<JavaCodeUnitAccess<?>> calls(JavaCodeUnit unit) {
        return Stream.<JavaCodeUnitAccess<?>>concat(
                        unit.getCallsFromSelf().stream(),
                        Stream.concat(
                                unit.getMethodReferencesFromSelf().stream(),
                                unit.getConstructorReferencesFromSelf().stream()))
                .sorted(IN_ORDER)
                .toList();
    }

    private static Stream<JavaCodeUnit> targets(CodeUnitAccessTarget target) {
        Stream<JavaCodeUnit> named = target.resolveMember().stream().map(JavaCodeUnit.class::cast);
        return named.flatMap(unit -> Stream.concat(Stream.of(unit), overriding(unit)));
    }

    private static Stream<JavaCodeUnit> overriding(JavaCodeUnit unit) {
        return unit.getModifiers().contains(JavaModifier.ABSTRACT)
                ? unit.getOwner().getAllSubclasses().stream()
                        .flatMap(type -> type.getCodeUnits().stream())
                        .filter(other -> other.getName().equals(unit.getName())
                                && other.getRawParameterTypes().equals(unit.getRawParameterTypes()))
                : Stream.empty();
    }

    private static List<JavaClass> classes(
            Map<JavaCodeUnit, @Nullable JavaCodeUnit> cameFrom, JavaCodeUnit last, JavaClass goal) {
        List<JavaClass> way = new ArrayList<>(List.of(goal));
        for (JavaCodeUnit at = last; at != null; at = cameFrom.get(at)) {
            addOutermost(way, at.getOwner());
        }
        return way;
    }

    private static void addOutermost(List<JavaClass> way, JavaClass type) {
        JavaClass outermost = type;
        while (outermost.getEnclosingClass().isPresent()) {
            outermost = outermost.getEnclosingClass().get();
        }
        if (!way.contains(outermost)) {
            way.add(0, outermost);
        }
    }
}
