package dev.tenon.architecture;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Circles between the packages of one module: two packages that need each other are one package in two folders, and a
 * reader of either has to read both.
 */
final class PackageCircles {
    /** What each package needs of others: one dependency for each, as an example. */
    private final Map<String, Map<String, String>> arrows = new TreeMap<>();

    private PackageCircles(JavaClasses module) {
        Set<String> own = new TreeSet<>();
        module.forEach(type -> own.add(type.getPackageName()));
        own.forEach(name -> arrows.put(name, new TreeMap<>()));
        for (JavaClass type : module) {
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                JavaClass target = dependency.getTargetClass().getBaseComponentType();
                String from = type.getPackageName();
                String to = target.getPackageName();
                if (!from.equals(to) && own.contains(to)) {
                    arrows.get(from).merge(to, outermost(type) + " → " + outermost(target), PackageCircles::first);
                }
            }
        }
    }

    /**
     * One circle for each group of packages that need each other, as short as there is one: the packages in order, and
     * beneath them a dependency for each step, which are what to cut.
     *
     * @param module the classes of one module
     */
    static List<String> among(JavaClasses module) {
        PackageCircles circles = new PackageCircles(module);
        List<String> found = new ArrayList<>();
        Set<String> seen = new TreeSet<>();
        for (String name : circles.arrows.keySet()) {
            List<String> circle = seen.contains(name) ? List.of() : circles.shortestThrough(name);
            if (!circle.isEmpty()) {
                seen.addAll(circles.groupOf(name));
                found.add(circles.described(circle));
            }
        }
        return found;
    }

    /** From a package back to itself, breadth first; empty if there is no way. */
    private List<String> shortestThrough(String name) {
        Map<String, String> before = reached(name);
        if (!before.containsKey(name)) {
            return List.of();
        }
        Deque<String> way = new ArrayDeque<>(List.of(name));
        for (String at = before.get(name); !at.equals(name); at = before.get(at)) {
            way.addFirst(at);
        }
        way.addFirst(name);
        return List.copyOf(way);
    }

    /** The packages that a package needs, directly or not, each with the one before it on the shortest way. */
    private Map<String, String> reached(String name) {
        Map<String, String> before = new HashMap<>();
        Deque<String> next = new ArrayDeque<>(List.of(name));
        while (!next.isEmpty()) {
            String at = next.remove();
            for (String to : arrows.get(at).keySet()) {
                if (before.putIfAbsent(to, at) == null && !to.equals(name)) {
                    next.add(to);
                }
            }
        }
        return before;
    }

    /** The packages that need this one and that it needs. */
    private Set<String> groupOf(String name) {
        Set<String> group = new TreeSet<>(reached(name).keySet());
        group.removeIf(other -> !reached(other).containsKey(name));
        return group;
    }

    private String described(List<String> circle) {
        StringBuilder text = new StringBuilder("A circle of packages: ").append(String.join(" → ", circle));
        for (int i = 1; i < circle.size(); i++) {
            text.append("\n    ").append(arrows.get(circle.get(i - 1)).get(circle.get(i)));
        }
        return text.toString();
    }

    /** Nested and anonymous classes are those of the file that they are in. */
    private static String outermost(JavaClass type) {
        String name = type.getName();
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }

    private static String first(String one, String other) {
        return one.compareTo(other) <= 0 ? one : other;
    }
}
