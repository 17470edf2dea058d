package dev.tenon.id.spi;

import java.util.Map;
import java.util.Optional;

/**
 * A durable map from the name of an ID definition to its text, for a server that serves definitions by name. A
 * definition never changes. Calls block, and fail as those of {@link RangeStore} do. Implementations are thread-safe.
 */
public interface DefinitionStore {
    /** The greatest number of characters in a definition. */
    int TEXT_LENGTH_MAX = 10_000;

    /** Returns {@code text} if it can be a definition. */
    static String requireText(String text) {
        if (text.isEmpty() || text.length() > TEXT_LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "A definition must have 1 to " + TEXT_LENGTH_MAX + " characters, not " + text.length());
        }
        return text;
    }

    /** The definition of a name. */
    Optional<String> find(String name);

    /**
     * Stores a definition unless the name has one.
     *
     * @param text 1 to {@value #TEXT_LENGTH_MAX} characters
     * @return the definition that the name now has: {@code text}, or the one that was there before
     */
    String putIfAbsent(String name, String text);

    /** Every definition, in ascending order of names. */
    Map<String, String> all();
}
