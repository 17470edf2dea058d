package dev.tenon.server.ids;

import dev.tenon.id.spi.DefinitionStore;

/**
 * A definition as it lies in the store: its text, behind {@code "unissued "} as long as no ID of it can have been
 * issued. Whoever issues the first ID takes the mark away beforehand, by a compare-and-set of the whole text, and
 * whoever deletes the definition compares in the same way: one of the two wins, on whatever server. A server that does
 * not know the mark can't read the definition, and so issues nothing unnoticed.
 *
 * @param text the definition
 * @param unissued whether it is certain that no ID of it was issued
 */
record StoredDefinition(String text, boolean unissued) {
    private static final String MARK = "unissued ";

    /** What the store says. */
    static StoredDefinition of(String stored) {
        return stored.startsWith(MARK)
                ? new StoredDefinition(stored.substring(MARK.length()), true)
                : new StoredDefinition(stored, false);
    }

    /** A definition that is new; where the text leaves no room for the mark, it counts as one that has issued. */
    static StoredDefinition fresh(String text) {
        return new StoredDefinition(text, text.length() <= DefinitionStore.TEXT_LENGTH_MAX - MARK.length());
    }

    /** What is to lie in the store. */
    String stored() {
        return unissued ? MARK + text : text;
    }
}
