package dev.tenon.id.spi;

import java.util.Map;
import java.util.Optional;

/**
 * A durable map from the name of an ID definition to its text, for a server that serves definitions by name. A text
 * stays as it is until a caller that names it exactly replaces or removes it. Calls block, and fail as those of {@link
 * RangeStore} do. Implementations are thread-safe, and each call happens at one moment, seen by every process.
 */
public interface DefinitionStore {
    /** The greatest number of characters in a definition. */
    int TEXT_LENGTH_MAX = 10_000;

    /**
     * Returns {@code text} if it can be a definition: what every store keeps as it is.
     *
     * @throws IllegalArgumentException if it is empty, has more than {@value #TEXT_LENGTH_MAX} characters, or has
     *     U+0000 or half of a surrogate pair in it
     */
    static String requireText(String text) {
        if (text.isEmpty() || text.length() > TEXT_LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "A definition must have 1 to " + TEXT_LENGTH_MAX + " characters, not " + text.length());
        }
        boolean storable =
                text.codePoints().allMatch(c -> c != 0 && (c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE));
        if (!storable) {
            throw new IllegalArgumentException(
                    "A definition must have no U+0000 and no half of a surrogate pair in it");
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

    /**
     * Replaces a definition that is exactly {@code before}. If the reply is lost, {@link #find} tells whether it
     * happened.
     *
     * @param text 1 to {@value #TEXT_LENGTH_MAX} characters
     * @return false, with nothing changed, if the name has no definition or another one
     */
    boolean replace(String name, String before, String text);

    /**
     * Removes a definition that is exactly {@code text}; the name can then be defined again.
     *
     * @return false, with nothing changed, if the name has no definition or another one
     */
    boolean remove(String name, String text);

    /** Every definition, in ascending order of names. */
    Map<String, String> all();
}
