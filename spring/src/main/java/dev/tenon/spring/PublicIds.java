package dev.tenon.spring;

import dev.tenon.id.codec.PublicId;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;

/** The public IDs of {@code tenon.public-ids}, by name. A bean; immutable. */
public final class PublicIds {
    private final Map<String, PublicId> byName;

    private PublicIds(Map<String, PublicId> byName) {
        this.byName = Map.copyOf(byName);
    }

    static PublicIds of(Map<String, TenonProperties.PublicIdDefinition> definitions) {
        Map<String, PublicId> made = new HashMap<>();
        definitions.forEach((name, definition) -> made.put(name, read(name, definition)));
        return new PublicIds(made);
    }

    /**
     * The public IDs of this name.
     *
     * @throws IllegalArgumentException if there is no such name in the configuration
     */
    public PublicId named(String name) {
        PublicId found = byName.get(name);
        if (found == null) {
            throw new IllegalArgumentException(
                    "There is no tenon.public-ids." + name + " in the configuration; there is " + byName.keySet());
        }
        return found;
    }

    private static PublicId read(String name, TenonProperties.PublicIdDefinition definition) {
        try {
            PublicId.Builder builder = PublicId.builder(definition.prefix());
            definition.keys().forEach((version, key) -> builder.key(version, bytes(version, key)));
            Integer writer = definition.writeWith();
            return (writer == null ? builder : builder.writeWith(writer)).build();
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw new TenonStartException(
                    "tenon.public-ids." + name + " isn't right: " + e.getMessage(),
                    "A key is made by \"openssl rand -base64 32\": tenon.public-ids." + name + ".keys.1=…",
                    e);
        }
    }

    /** Says nothing of the key itself. */
    private static byte[] bytes(int version, String key) {
        try {
            return Base64.getDecoder().decode(key.strip());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("Key " + version + " is not in base 64");
        }
    }
}
