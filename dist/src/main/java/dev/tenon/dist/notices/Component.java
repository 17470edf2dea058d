package dev.tenon.dist.notices;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/**
 * A jar of the distribution, as its bill of materials has it.
 *
 * @param licenses SPDX identifiers, or the names in its POM where these are no identifiers; a choice of whoever uses it
 */
record Component(String group, String name, String version, List<String> licenses) {
    /** Reads a CycloneDX document. */
    static List<Component> of(Path billOfMaterials) {
        JsonNode root = new ObjectMapper().readTree(billOfMaterials.toFile());
        List<Component> components = new ArrayList<>();
        for (JsonNode node : root.path("components")) {
            List<String> licenses = new ArrayList<>();
            for (JsonNode choice : node.path("licenses")) {
                JsonNode license = choice.path("license");
                licenses.add(license.path("id").asString(license.path("name").asString("")));
            }
            components.add(new Component(
                    node.path("group").asString(),
                    node.path("name").asString(),
                    node.path("version").asString(),
                    List.copyOf(licenses)));
        }
        return List.copyOf(components);
    }

    /** Group and name, such as {@code com.h2database:h2}. */
    String key() {
        return group + ":" + name;
    }

    /** The file in {@code lib/}. */
    String jar() {
        return name + "-" + version + ".jar";
    }

    boolean isOurs() {
        return group.equals("dev.tenon");
    }
}
