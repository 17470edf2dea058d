package dev.tenon.architecture;

import dev.tenon.architecture.Repository.Module;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a user of a module gets with it: the jars at run time, as Maven resolves them, and the rules for them. */
final class Closure {
    private static final Pattern LINE =
            Pattern.compile("[|+\\\\ -]*([^:\\s]+):([^:\\s]+):jar:(?:[^:\\s]+:)?([^:\\s]+):(?:compile|runtime)\\b.*");
    private static final Pattern PREVIEW = Pattern.compile(
            ".*[-.](alpha|beta|a|b|m|milestone|rc|cr|ea|eap|pre|preview|dev|snapshot|nightly)([-.]?\\d.*)?",
            Pattern.CASE_INSENSITIVE);

    private Closure() {}

    /** A jar of somebody else's. */
    record Jar(String group, String name, String version) {
        @Override
        public String toString() {
            return group + ":" + name + ":" + version;
        }
    }

    /** Modules that are published, but for the BOM, which has no jars. */
    static List<Module> modules() {
        return Repository.modules().stream()
                .filter(module -> !module.path().equals("bom"))
                .filter(module -> !Repository.read(module.dir().resolve("pom.xml"))
                        .contains("<tenon.internal>true</tenon.internal>"))
                .toList();
    }

    /** The jars of a module, from what the build leaves in its {@code target/closure.txt}. */
    static List<Jar> of(Module module) {
        return of(Repository.read(module.dir().resolve("target/closure.txt")));
    }

    /** The jars of a tree, as maven-dependency-plugin writes it, but for those that a user chooses to have or not. */
    static List<Jar> of(String tree) {
        List<Jar> jars = new ArrayList<>();
        for (String line : tree.lines().skip(1).toList()) {
            Matcher matcher = LINE.matcher(line);
            if (!matcher.matches()) {
                throw new IllegalArgumentException("Not a jar: " + line);
            }
            if (!matcher.group(1).equals("dev.tenon") && !line.endsWith("(optional)")) {
                jars.add(new Jar(matcher.group(1), matcher.group(2), matcher.group(3)));
            }
        }
        return jars;
    }

    /** Jars whose authors say by the version that they are not finished. */
    static List<String> previews(List<Jar> jars) {
        return jars.stream()
                .filter(jar -> PREVIEW.matcher(jar.version()).matches())
                .map(Jar::toString)
                .toList();
    }

    /** Jars of one name, in several versions or from several groups. */
    static List<String> doubles(List<Jar> jars) {
        Map<String, TreeSet<String>> byName = new TreeMap<>();
        jars.forEach(jar ->
                byName.computeIfAbsent(jar.name(), name -> new TreeSet<>()).add(jar.toString()));
        return byName.values().stream()
                .filter(same -> same.size() > 1)
                .map(same -> String.join(" and ", same))
                .toList();
    }
}
