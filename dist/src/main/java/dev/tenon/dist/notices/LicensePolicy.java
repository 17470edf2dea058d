package dev.tenon.dist.notices;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/**
 * Which licenses the distribution may have, and what each asks for: {@code src/main/third-party/third-party.json}. A
 * jar under another license, or without what its license asks for, fails the build; so does an entry of the file that
 * nothing needs.
 */
final class LicensePolicy {
    private final JsonNode file;
    private final Set<String> unused = new TreeSet<>();

    private LicensePolicy(JsonNode file) {
        this.file = file;
        for (String table : List.of("names", "sources", "copyrights")) {
            file.path(table).propertyNames().forEach(key -> unused.add(table + ": " + key));
        }
        file.path("licenses").propertyNames().forEach(key -> unused.add("licenses: " + key));
    }

    static LicensePolicy of(Path folder) {
        return new LicensePolicy(
                new ObjectMapper().readTree(folder.resolve("third-party.json").toFile()));
    }

    /**
     * What is to be said of a jar.
     *
     * @param licenses SPDX identifiers
     * @param texts files of {@code licenses/}
     * @param lines what the licenses ask for, a line each
     */
    record Notice(List<String> licenses, List<String> texts, List<String> lines) {}

    /**
     * @param hasNotices whether the jar has a license file of its own, which then names its authors
     * @throws IllegalStateException if the jar may not be in the distribution as it is
     */
    Notice notice(Component component, boolean hasNotices) {
        if (component.licenses().isEmpty()) {
            throw new IllegalStateException(component.jar() + " names no license.");
        }
        List<String> ids = new ArrayList<>();
        Set<String> texts = new TreeSet<>();
        Set<String> asked = new TreeSet<>();
        for (String license : component.licenses()) {
            String id = entry("names", license);
            ids.add(id.isEmpty() ? license : id);
            JsonNode accepted = file.path("licenses").path(ids.get(ids.size() - 1));
            if (accepted.isMissingNode()) {
                throw new IllegalStateException(
                        component.jar() + " is under \"" + license
                                + "\", which third-party.json does not accept. Do without the jar, or add the license with its text.");
            }
            unused.remove("licenses: " + ids.get(ids.size() - 1));
            texts.add(accepted.path("text").asString());
            asked.add(accepted.path("asks").asString(""));
        }
        return new Notice(List.copyOf(ids), List.copyOf(texts), lines(component, asked, hasNotices));
    }

    private List<String> lines(Component component, Set<String> asked, boolean hasNotices) {
        List<String> lines = new ArrayList<>();
        if (asked.contains("sources")) {
            lines.add("sources: " + demanded("sources", component));
        }
        if (asked.contains("copyright") && !hasNotices) {
            lines.add("copyright: " + demanded("copyrights", component));
        }
        return List.copyOf(lines);
    }

    private String demanded(String table, Component component) {
        String value = entry(table, component.key());
        if (value.isEmpty()) {
            throw new IllegalStateException("The license of " + component.jar() + " asks for its " + table
                    + ", and third-party.json has none for " + component.key() + ".");
        }
        return value.replace("{version}", component.version());
    }

    private String entry(String table, String key) {
        unused.remove(table + ": " + key);
        return file.path(table).path(key).asString("");
    }

    /** Entries that no jar needed. */
    Set<String> unused() {
        return Set.copyOf(unused);
    }
}
