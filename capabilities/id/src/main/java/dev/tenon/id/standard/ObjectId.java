package dev.tenon.id.standard;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.HexFormat;

/**
 * A MongoDB ObjectId: 4 bytes of seconds since 1970, unsigned, 5 bytes that a process drew at random, 3 bytes of a
 * counter. Every 12 bytes are one.
 *
 * <p>Source: MongoDB's specification "BSON ObjectID"; before version 0.2 of it (2018), the 5 bytes were 3 of a machine
 * and 2 of a process, which {@link #legacyMachine} and {@link #legacyProcess} read. Nothing in an ObjectId tells which
 * form it has.
 *
 * @param high the seconds
 * @param low the other 8 bytes
 */
public record ObjectId(int high, long low) implements Comparable<ObjectId> {
    static final int COUNTER_BITS = 24;
    static final int COUNTER_MASK = (1 << COUNTER_BITS) - 1;

    private static final int BYTES = 12;

    /**
     * Reads 24 hexadecimal digits of either case.
     *
     * @throws IllegalArgumentException if they are more or fewer, or not hexadecimal
     */
    public static ObjectId parse(String text) {
        if (text.length() != 2 * BYTES) {
            throw new IllegalArgumentException(
                    "An ObjectId has " + 2 * BYTES + " hexadecimal digits, not " + text.length());
        }
        for (int i = 0; i < text.length(); i++) {
            if (!HexFormat.isHexDigit(text.charAt(i))) {
                throw new IllegalArgumentException("An ObjectId is of hexadecimal digits; '" + text.charAt(i) + "' (at "
                        + i + ") is none: " + text);
            }
        }
        return fromBytes(HexFormat.of().parseHex(text));
    }

    /**
     * The ObjectId of 12 bytes, the first one first.
     *
     * @throws IllegalArgumentException if they are more or fewer
     */
    public static ObjectId fromBytes(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("An ObjectId has " + BYTES + " bytes, not " + bytes.length);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new ObjectId(buffer.getInt(), buffer.getLong());
    }

    /** When it was made, to the second, by its maker's clock; until 2106-02-07. */
    public Instant time() {
        return Instant.ofEpochSecond(Integer.toUnsignedLong(high));
    }

    /** The 40 bits that the process drew. */
    public long processUnique() {
        return low >>> COUNTER_BITS;
    }

    /** The counter, 0 to 16 777 215. */
    public int counter() {
        return (int) low & COUNTER_MASK;
    }

    /** The machine, 24 bits, if this is of the form that was in use until 2018. */
    public int legacyMachine() {
        return (int) (low >>> 40);
    }

    /** The process, 16 bits, if this is of the form that was in use until 2018. */
    public int legacyProcess() {
        return (int) (low >>> COUNTER_BITS) & 0xffff;
    }

    /** The 12 bytes, the first one first. */
    public byte[] toBytes() {
        return ByteBuffer.allocate(BYTES).putInt(high).putLong(low).array();
    }

    /** The order of the bytes and of the text. */
    @Override
    public int compareTo(ObjectId other) {
        int upper = Integer.compareUnsigned(high, other.high);
        return upper != 0 ? upper : Long.compareUnsigned(low, other.low);
    }

    /** 24 hexadecimal digits, in lower case. */
    @Override
    public String toString() {
        return HexFormat.of().formatHex(toBytes());
    }
}
