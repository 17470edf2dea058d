package dev.tenon.id.codec;

/** The rules for the name of a type in front of an ID, which are those of TypeID 0.3. Stateless. */
public final class TypePrefix {
    /** The most characters. */
    public static final int LENGTH_MAX = 63;

    private TypePrefix() {}

    /**
     * The prefix itself, if it has 1 to {@value #LENGTH_MAX} characters of a to z and underscore, and an underscore
     * neither first nor last.
     *
     * @throws IllegalArgumentException if not
     */
    public static String requireValid(String prefix) {
        if (prefix.isEmpty() || prefix.length() > LENGTH_MAX) {
            throw new IllegalArgumentException("A type prefix has 1 to " + LENGTH_MAX + " characters, not "
                    + prefix.length() + ": \"" + prefix + "\"");
        }
        if (prefix.charAt(0) == '_' || prefix.charAt(prefix.length() - 1) == '_') {
            throw new IllegalArgumentException(
                    "A type prefix neither begins nor ends with an underscore: \"" + prefix + "\"");
        }
        for (int i = 0; i < prefix.length(); i++) {
            char c = prefix.charAt(i);
            if (c != '_' && (c < 'a' || c > 'z')) {
                throw new IllegalArgumentException(
                        "A type prefix is of a to z and underscore; '" + c + "' is neither: \"" + prefix + "\"");
            }
        }
        return prefix;
    }
}
