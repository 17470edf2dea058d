package dev.tenon.tx;

import java.util.Objects;

/**
 * The global name of one transaction (<i>gid</i>), chosen by its initiator: the same ID with the same content begins it
 * once, however often it is sent. Immutable.
 *
 * @param text 1 to {@value #LENGTH_MAX} letters, digits, or any of {@code . _ : -}, so that it stands as it is in a URL
 *     and in a header
 */
public record TransactionId(String text) {
    /** The greatest number of characters. */
    public static final int LENGTH_MAX = 128;

    /**
     * @throws IllegalArgumentException if {@code text} is empty, too long, or has another character
     */
    public TransactionId {
        Objects.requireNonNull(text, "transaction ID");
        if (text.isEmpty() || text.length() > LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "A transaction ID has 1 to " + LENGTH_MAX + " characters, this one has " + text.length());
        }
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean letter = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
            if (!letter && "._:-".indexOf(c) < 0) {
                throw new IllegalArgumentException("A transaction ID is made of letters, digits and . _ : - only;"
                        + " character " + (i + 1) + " of \"" + text + "\" is none of them");
            }
        }
    }

    /** {@link #text()}. */
    @Override
    public String toString() {
        return text;
    }
}
