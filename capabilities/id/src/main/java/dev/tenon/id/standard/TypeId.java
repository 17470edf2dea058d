package dev.tenon.id.standard;

import dev.tenon.id.codec.TypePrefix;
import java.util.Objects;
import java.util.UUID;

/**
 * A TypeID: a UUID that says what it identifies, as in {@code user_2x4y6z8a0b1c2d3e4f5g6h7j8k}. Texts of one prefix
 * sort as their UUIDs do by {@link Rfc9562#ORDER}.
 *
 * <p>Source: github.com/jetify-com/typeid, specification 0.3.
 *
 * @param prefix the type: up to 63 characters of a to z and underscore, neither beginning nor ending with an
 *     underscore; empty for none
 * @param uuid any UUID; the specification wants new ones to be of version 7
 */
public record TypeId(String prefix, UUID uuid) implements Comparable<TypeId> {
    private static final char SEPARATOR = '_';

    /**
     * Checks the prefix.
     *
     * @throws IllegalArgumentException if it breaks a rule
     */
    public TypeId {
        requirePrefix(prefix);
        Objects.requireNonNull(uuid, "uuid");
    }

    /**
     * Reads a TypeID. Only what {@link #toString} writes is one: no upper case, no stand-ins for symbols.
     *
     * @throws IllegalArgumentException if prefix, separator or suffix break a rule, or the suffix has more than 128
     *     bits
     */
    public static TypeId parse(String text) {
        int separator = text.lastIndexOf(SEPARATOR);
        if (separator == 0) {
            throw new IllegalArgumentException("A TypeID without a prefix has no underscore either: " + text);
        }
        String prefix = separator < 0 ? "" : text.substring(0, separator);
        requirePrefix(prefix);
        long[] halves = UInt128.parse("The suffix of a TypeID", text.substring(separator + 1), false);
        return new TypeId(prefix, new UUID(halves[0], halves[1]));
    }

    /**
     * Reads a TypeID of one type.
     *
     * @throws IllegalArgumentException as {@link #parse(String)}, and if the prefix is another
     */
    public static TypeId parse(String prefix, String text) {
        TypeId parsed = parse(text);
        if (!parsed.prefix.equals(prefix)) {
            throw new IllegalArgumentException("This is the ID of another type: it begins with \"" + parsed.prefix
                    + "\", not \"" + prefix + "\": " + text);
        }
        return parsed;
    }

    /** The UUID in 26 symbols of base 32. */
    public String suffix() {
        return UInt128.text(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
    }

    /** By prefix, then by {@link Rfc9562#ORDER}. */
    @Override
    public int compareTo(TypeId other) {
        int byPrefix = prefix.compareTo(other.prefix);
        return byPrefix != 0 ? byPrefix : Rfc9562.compare(uuid, other.uuid);
    }

    /** Prefix, underscore and suffix, or the suffix alone. */
    @Override
    public String toString() {
        return prefix.isEmpty() ? suffix() : prefix + SEPARATOR + suffix();
    }

    static void requirePrefix(String prefix) {
        if (!prefix.isEmpty()) {
            TypePrefix.requireValid(prefix);
        }
    }
}
