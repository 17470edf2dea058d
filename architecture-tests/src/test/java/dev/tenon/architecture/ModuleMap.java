package dev.tenon.architecture;

import dev.tenon.architecture.Repository.Module;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * The modules and what each is built on, by their POMs, as a picture: a box a folder, and only the arrows that do not
 * follow from others.
 */
final class ModuleMap {
    /** Modules that only show, check or list others. */
    private static final Set<String> BESIDE =
            Set.of("bom", "examples", "browser-tests", "site", "benchmarks", "architecture-tests");

    /** Folders whose modules have boxes of their own. */
    private static final Set<String> APART = Set.of("capabilities");

    private ModuleMap() {}

    /** The picture in Mermaid's language. */
    static String draw() {
        Map<String, Module> byArtifact = new HashMap<>();
        SortedMap<String, SortedSet<String>> members = new TreeMap<>();
        List<Module> shown = Repository.modules().stream()
                .filter(module -> !BESIDE.contains(module.path().split("/")[0]))
                .toList();
        for (Module module : shown) {
            byArtifact.put(artifact(module), module);
            members.computeIfAbsent(box(module), key -> new TreeSet<>()).add(module.name());
        }
        SortedMap<String, SortedSet<String>> arrows = new TreeMap<>();
        for (Module module : shown) {
            for (String artifact : dependencies(module)) {
                Module target = byArtifact.get(artifact);
                if (target != null && !box(target).equals(box(module))) {
                    arrows.computeIfAbsent(box(module), key -> new TreeSet<>()).add(box(target));
                }
            }
        }
        StringBuilder text = new StringBuilder("flowchart TD\n");
        members.forEach((box, names) ->
                text.append("    ").append(box).append(label(box, names)).append('\n'));
        reduced(arrows)
                .forEach((from, targets) -> targets.forEach(to -> text.append("    ")
                        .append(from)
                        .append(" --> ")
                        .append(to)
                        .append('\n')));
        return text.toString();
    }

    /** Without the arrows whose target is reached over another one. */
    static SortedMap<String, SortedSet<String>> reduced(Map<String, ? extends Set<String>> arrows) {
        SortedMap<String, SortedSet<String>> reduced = new TreeMap<>();
        arrows.forEach((from, targets) -> reduced.put(
                from,
                targets.stream()
                        .filter(to -> targets.stream()
                                .noneMatch(other -> !other.equals(to) && reaches(arrows, other, to, new TreeSet<>())))
                        .collect(Collectors.toCollection(TreeSet::new))));
        return reduced;
    }

    private static boolean reaches(
            Map<String, ? extends Set<String>> arrows, String from, String to, Set<String> seen) {
        return seen.add(from)
                && arrows.containsKey(from)
                && arrows.get(from).stream().anyMatch(next -> next.equals(to) || reaches(arrows, next, to, seen));
    }

    private static String box(Module module) {
        String[] parts = module.path().split("/");
        return APART.contains(parts[0]) ? parts[1] : parts[0];
    }

    private static String label(String box, Set<String> names) {
        String all = String.join(", ", names);
        return all.equals(box) ? "" : "[\"" + box + ": " + all + "\"]";
    }

    private static String artifact(Module module) {
        return direct(pom(module), "artifactId");
    }

    /** Those of ours that users get with it, or may. */
    private static Set<String> dependencies(Module module) {
        Set<String> found = new TreeSet<>();
        NodeList dependencies = pom(module).getElementsByTagName("dependency");
        for (int i = 0; i < dependencies.getLength(); i++) {
            Map<String, String> fields = fields((Element) dependencies.item(i));
            if ("dev.tenon".equals(fields.get("groupId")) && !"test".equals(fields.get("scope"))) {
                found.add(fields.get("artifactId"));
            }
        }
        return found;
    }

    private static Map<String, String> fields(Element element) {
        Map<String, String> fields = new LinkedHashMap<>();
        for (int i = 0; i < element.getChildNodes().getLength(); i++) {
            if (element.getChildNodes().item(i) instanceof Element child) {
                fields.putIfAbsent(child.getTagName(), child.getTextContent().strip());
            }
        }
        return fields;
    }

    private static String direct(Document pom, String field) {
        return String.valueOf(fields(pom.getDocumentElement()).get(field));
    }

    private static Document pom(Module module) {
        return Repository.xml(module.dir().resolve("pom.xml"));
    }
}
