package dev.tenon.id.standard;

import java.time.Instant;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;

/**
 * A ULID: 48 bits of milliseconds since 1970 and 80 random ones, written as 26 symbols of Crockford's base 32 whose
 * order is that of time. Every 128 bits are one.
 *
 * <p>Source: github.com/ulid/spec.
 *
 * @param high the time, and the first 16 random bits
 * @param low the other 64
 */
public record Ulid(long high, long low) implements Comparable<Ulid> {
    static final int HIGH_RANDOM_BITS = 16;
    static final long MILLIS_MAX = (1L << 48) - 1;

    /**
     * Reads a ULID. Letters may be of either case; Crockford's stand-ins (I and L for 1, O for 0) are refused, as
     * ULID's alphabet has none.
     *
     * @throws IllegalArgumentException if there are not 26 symbols, one of them is foreign, or there are more than 128
     *     bits
     */
    public static Ulid parse(String text) {
        long[] halves = UInt128.parse("A ULID", text, true);
        return new Ulid(halves[0], halves[1]);
    }

    /**
     * The ULID of 16 bytes, the first one first.
     *
     * @throws IllegalArgumentException if they are more or fewer
     */
    public static Ulid fromBytes(byte[] bytes) {
        UInt128.requireLength("A ULID", bytes);
        return new Ulid(UInt128.word(bytes, 0), UInt128.word(bytes, Long.BYTES));
    }

    /** The ULID of the same 128 bits. Its time means something if the UUID is of version 7, or was a ULID before. */
    public static Ulid fromUuid(UUID uuid) {
        return new Ulid(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
    }

    /** When it was made, by its maker's clock. */
    public Instant time() {
        return Instant.ofEpochMilli(millis());
    }

    /** The UUID of the same 128 bits: a column for UUIDs holds it, but version and variant are random. */
    public UUID toUuid() {
        return new UUID(high, low);
    }

    /** The 16 bytes, the first one first. */
    public byte[] toBytes() {
        return UInt128.bytes(high, low);
    }

    long millis() {
        return high >>> HIGH_RANDOM_BITS;
    }

    /** By time, then by the random bits: the order of the text and of the bytes. */
    @Override
    public int compareTo(Ulid other) {
        Objects.requireNonNull(other, "other");
        int upper = Long.compareUnsigned(high, other.high);
        return upper != 0 ? upper : Long.compareUnsigned(low, other.low);
    }

    /** The 26 symbols, in upper case. */
    @Override
    public String toString() {
        return UInt128.text(high, low).toUpperCase(Locale.ROOT);
    }
}
