package dev.tenon;

import java.util.Comparator;
import java.util.Objects;

/**
 * The one rule for the names of locks, ID definitions and groups: 1 to {@value #LENGTH_MAX} characters, none of them a
 * control character or half of a surrogate pair. Thread-safe: no state.
 */
public final class Names {
    /** The greatest number of UTF-16 characters in a name. */
    public static final int LENGTH_MAX = 200;

    /** The order of names in listings: by code points, which is also that of their UTF-8 bytes. */
    public static final Comparator<String> ORDER = Names::compareCodePoints;

    private Names() {}

    /**
     * Returns {@code name} if it is a valid name.
     *
     * @param kind what the name is for, such as {@code "lock name"}; it starts the error message
     * @throws NullPointerException if {@code name} is null
     * @throws IllegalArgumentException if {@code name} is empty, too long, or has a character that is not allowed
     */
    public static String requireValid(String kind, String name) {
        Objects.requireNonNull(name, kind);
        if (name.isEmpty()) {
            throw new IllegalArgumentException(kind + " is empty; give it 1 to " + LENGTH_MAX + " characters");
        }
        if (name.length() > LENGTH_MAX) {
            throw new IllegalArgumentException(
                    kind + " has " + name.length() + " characters; at most " + LENGTH_MAX + " are allowed");
        }
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (Character.isISOControl(c)) {
                throw new IllegalArgumentException(
                        kind + " has a control character (U+%04X) at position %d".formatted((int) c, i));
            }
            if (Character.isSurrogate(c)) {
                boolean pair = Character.isHighSurrogate(c)
                        && i + 1 < name.length()
                        && Character.isLowSurrogate(name.charAt(i + 1));
                if (!pair) {
                    throw new IllegalArgumentException(kind + " has half a surrogate pair at position " + i);
                }
                i++;
            }
        }
        return name;
    }

    private static int compareCodePoints(String a, String b) {
        int length = Math.min(a.length(), b.length());
        for (int i = 0; i < length; i++) {
            char x = a.charAt(i);
            char y = b.charAt(i);
            if (x != y) {
                // Surrogates stand for code points above every other character, yet sort below U+E000 as UTF-16.
                boolean sameSide = Character.isSurrogate(x) == Character.isSurrogate(y);
                return sameSide ? Character.compare(x, y) : Character.isSurrogate(x) ? 1 : -1;
            }
        }
        return Integer.compare(a.length(), b.length());
    }
}
