package dev.tenon.id.standard;

import java.nio.charset.StandardCharsets;

/** 128 bits as bytes and as the 26 symbols of base 32 that ULID and TypeID write. */
final class UInt128 {
    static final int TEXT_LENGTH = 26;

    private static final int BYTES = 16;
    private static final int SYMBOL_BITS = 5;
    private static final int SYMBOL_MASK = (1 << SYMBOL_BITS) - 1;
    private static final String SYMBOLS = "0123456789abcdefghjkmnpqrstvwxyz";

    private UInt128() {}

    static byte[] bytes(long high, long low) {
        byte[] bytes = new byte[BYTES];
        for (int i = 0; i < Long.BYTES; i++) {
            bytes[i] = (byte) (high >>> 56 - 8 * i);
            bytes[i + Long.BYTES] = (byte) (low >>> 56 - 8 * i);
        }
        return bytes;
    }

    /** Big-endian. */
    static long word(byte[] bytes, int from) {
        long word = 0;
        for (int i = from; i < from + Long.BYTES; i++) {
            word = word << 8 | bytes[i] & 0xff;
        }
        return word;
    }

    static void requireLength(String what, byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException(what + " has " + BYTES + " bytes, not " + bytes.length);
        }
    }

    /** Lower case; the first symbol has 3 bits only. */
    static String text(long high, long low) {
        byte[] text = new byte[TEXT_LENGTH];
        long upper = high;
        long lower = low;
        for (int i = TEXT_LENGTH - 1; i >= 0; i--) {
            text[i] = (byte) SYMBOLS.charAt((int) lower & SYMBOL_MASK);
            lower = lower >>> SYMBOL_BITS | upper << Long.SIZE - SYMBOL_BITS;
            upper >>>= SYMBOL_BITS;
        }
        return new String(text, StandardCharsets.ISO_8859_1);
    }

    /**
     * The upper and the lower half of 26 symbols.
     *
     * @param eitherCase whether A to Z are read as a to z; no other letter is, whatever its lower case
     * @throws IllegalArgumentException says what is wrong, beginning with {@code what}
     */
    static long[] parse(String what, String text, boolean eitherCase) {
        if (text.length() != TEXT_LENGTH) {
            throw new IllegalArgumentException(
                    what + " has " + TEXT_LENGTH + " symbols, not " + text.length() + "; was some of it cut off?");
        }
        long high = 0;
        long low = 0;
        for (int i = 0; i < TEXT_LENGTH; i++) {
            char typed = text.charAt(i);
            boolean upper = eitherCase && typed >= 'A' && typed <= 'Z';
            int symbol = SYMBOLS.indexOf(upper ? typed - 'A' + 'a' : typed);
            if (symbol < 0) {
                throw new IllegalArgumentException(
                        what + " has no '" + typed + "' (at " + i + " of " + text + "); its symbols are " + SYMBOLS);
            }
            if (i == 0 && symbol > 7) {
                throw new IllegalArgumentException(
                        what + " has 128 bits, so that the first symbol is 0 to 7; this has more: " + text);
            }
            high = high << SYMBOL_BITS | low >>> Long.SIZE - SYMBOL_BITS;
            low = low << SYMBOL_BITS | symbol;
        }
        return new long[] {high, low};
    }
}
