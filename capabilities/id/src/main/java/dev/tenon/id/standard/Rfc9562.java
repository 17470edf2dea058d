package dev.tenon.id.standard;

import java.time.Instant;
import java.util.Comparator;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/**
 * What RFC 9562 says about a UUID and {@link UUID} does not know: its order, its time in every version that has one,
 * its bytes, versions 6 and 8. {@link UUID#version()} and {@link UUID#variant()} are right for every version.
 * Stateless.
 */
public final class Rfc9562 {
    /** The UUID of no bits, section 5.9. */
    public static final UUID NIL = new UUID(0, 0);

    /** The UUID of all bits, section 5.10. */
    public static final UUID MAX = new UUID(-1, -1);

    /**
     * The order of the bytes, which is also the order of the text and, for versions 6 and 7, of the time (section
     * 6.11). {@link UUID#compareTo} compares the halves as signed numbers: it puts {@code 80000000-…} before {@code
     * 7fffffff-…}.
     */
    public static final Comparator<UUID> ORDER = Rfc9562::compare;

    /** The variant of all versions of the RFC, as {@link UUID#variant()} gives it. */
    static final int VARIANT = 2;

    static final long VARIANT_BIT = 1L << 63;
    static final long CUSTOM_C_MASK = (1L << 62) - 1;

    private static final long CUSTOM_A_MAX = (1L << 48) - 1;
    private static final int CUSTOM_B_MAX = (1 << 12) - 1;

    private Rfc9562() {}

    /** Less than, equal to, or greater than 0, by {@link #ORDER}. */
    public static int compare(UUID one, UUID other) {
        int high = Long.compareUnsigned(one.getMostSignificantBits(), other.getMostSignificantBits());
        return high != 0 ? high : Long.compareUnsigned(one.getLeastSignificantBits(), other.getLeastSignificantBits());
    }

    /**
     * When a UUID was made, by its maker's clock: to 100 ns for versions 1 and 6, to the millisecond for 7; empty for
     * the other versions and variants. {@link UUID#timestamp()} knows version 1 only.
     */
    public static Optional<Instant> time(UUID uuid) {
        if (uuid.variant() != VARIANT) {
            return Optional.empty();
        }
        return switch (uuid.version()) {
            case 1 -> Optional.of(Gregorian.instant(uuid.timestamp()));
            case 6 -> Optional.of(Gregorian.instant(toVersion1(uuid).timestamp()));
            case 7 -> Optional.of(Instant.ofEpochMilli(uuid.getMostSignificantBits() >>> 16));
            default -> Optional.empty();
        };
    }

    /**
     * The clock sequence of a UUID of version 1 or 6, 0 to 16383.
     *
     * @throws IllegalArgumentException if it is of another version
     */
    public static int clockSequence(UUID uuid) {
        requireGregorian(uuid);
        return (int) (uuid.getLeastSignificantBits() >>> 48) & Gregorian.SEQUENCE_MAX;
    }

    /**
     * The node of a UUID of version 1 or 6, 48 bits.
     *
     * @throws IllegalArgumentException if it is of another version
     */
    public static long node(UUID uuid) {
        requireGregorian(uuid);
        return uuid.getLeastSignificantBits() & Gregorian.NODE_MAX;
    }

    /**
     * The same moment, clock sequence and node as version 6, whose order is that of time.
     *
     * @throws IllegalArgumentException if it is not of version 1
     */
    public static UUID toVersion6(UUID uuid) {
        require(uuid, 1);
        return Gregorian.version6(uuid.timestamp(), uuid.getLeastSignificantBits());
    }

    /**
     * The same moment, clock sequence and node as version 1.
     *
     * @throws IllegalArgumentException if it is not of version 6
     */
    public static UUID toVersion1(UUID uuid) {
        require(uuid, 6);
        long high = uuid.getMostSignificantBits();
        return Gregorian.version1(high >>> 4 & ~0xfffL | high & 0xfff, uuid.getLeastSignificantBits());
    }

    /**
     * A UUID of version 8, for fields of one's own (section 5.8). Nothing makes it unique but what is put into it.
     *
     * @param a the first 48 bits
     * @param b the 12 bits after the version
     * @param c the 62 bits after the variant
     * @throws IllegalArgumentException if one of them has more bits
     */
    public static UUID version8(long a, int b, long c) {
        if (a < 0 || a > CUSTOM_A_MAX || b < 0 || b > CUSTOM_B_MAX || c < 0 || c > CUSTOM_C_MASK) {
            throw new IllegalArgumentException("Version 8 has fields of 48, 12 and 62 bits; these have more: 0x"
                    + Long.toHexString(a) + ", 0x" + Integer.toHexString(b) + ", 0x" + Long.toHexString(c));
        }
        return new UUID(a << 16 | 8L << 12 | b, VARIANT_BIT | c);
    }

    /** The 16 bytes of a UUID, the first one first. */
    public static byte[] toBytes(UUID uuid) {
        return UInt128.bytes(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
    }

    /**
     * The UUID of 16 bytes.
     *
     * @throws IllegalArgumentException if they are more or fewer
     */
    public static UUID fromBytes(byte[] bytes) {
        UInt128.requireLength("A UUID", bytes);
        return new UUID(UInt128.word(bytes, 0), UInt128.word(bytes, Long.BYTES));
    }

    private static void requireGregorian(UUID uuid) {
        if (uuid.variant() != VARIANT || uuid.version() != 1 && uuid.version() != 6) {
            throw new IllegalArgumentException("Only versions 1 and 6 have a clock sequence and a node: " + uuid);
        }
    }

    private static void require(UUID uuid, int version) {
        Objects.requireNonNull(uuid, "uuid");
        if (uuid.variant() != VARIANT || uuid.version() != version) {
            throw new IllegalArgumentException("Not a UUID of version " + version + ": " + uuid);
        }
    }
}
