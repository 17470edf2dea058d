package dev.tenon.id.codec;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Bytes as text: in groups of bits where a symbol has a whole number of them, as one long number otherwise. Stateless.
 */
final class ByteText {
    /** The second way takes time that grows with the square of the length, so there is a limit. */
    static final int BYTES_MAX = 1024;

    private static final int BYTE_MASK = 0xff;

    private ByteText() {}

    static String encode(Alphabet alphabet, byte[] bytes) {
        if (bytes.length > BYTES_MAX) {
            throw new IllegalArgumentException(
                    "At most " + BYTES_MAX + " bytes are written as text, not " + bytes.length);
        }
        byte[] digits = alphabet.bits() > 0
                ? regroup(bytes, Byte.SIZE, alphabet.bits(), true)
                : convert(bytes, BYTE_MASK + 1, alphabet.base());
        byte[] text = new byte[digits.length];
        for (int i = 0; i < digits.length; i++) {
            text[i] = alphabet.symbol(digits[i]);
        }
        return new String(text, StandardCharsets.US_ASCII);
    }

    static byte[] decode(Alphabet alphabet, String text) {
        if (text.length() > BYTES_MAX * Byte.SIZE) {
            throw alphabet.refusal(text, "is too long: " + text.length() + " symbols");
        }
        byte[] digits = new byte[text.length()];
        for (int i = 0; i < digits.length; i++) {
            digits[i] = (byte) alphabet.value(text, i);
        }
        int bits = alphabet.bits();
        byte[] bytes =
                bits > 0 ? regroup(digits, bits, Byte.SIZE, false) : convert(digits, alphabet.base(), BYTE_MASK + 1);
        if (bytes.length > BYTES_MAX) {
            throw alphabet.refusal(text, "is too long: at most " + BYTES_MAX + " bytes are read");
        }
        if (bits > 0) {
            int spare = digits.length * bits - bytes.length * Byte.SIZE;
            if (spare >= bits) {
                throw alphabet.refusal(text, "is cut off: no bytes have " + digits.length + " symbols");
            }
            if (spare > 0 && (digits[digits.length - 1] & (1 << spare) - 1) != 0) {
                throw alphabet.refusal(text, "is not what its bytes are written as: the last symbol has bits too many");
            }
        }
        return bytes;
    }

    /** The same bits in groups of another size, the first one at the top; what is left makes a group or is dropped. */
    private static byte[] regroup(byte[] groups, int bitsFrom, int bitsTo, boolean keepRest) {
        int bits = groups.length * bitsFrom;
        byte[] result = new byte[keepRest ? (bits + bitsTo - 1) / bitsTo : bits / bitsTo];
        int pending = 0;
        int pendingBits = 0;
        int at = 0;
        for (byte group : groups) {
            pending = pending << bitsFrom | group & BYTE_MASK;
            pendingBits += bitsFrom;
            while (pendingBits >= bitsTo) {
                pendingBits -= bitsTo;
                result[at++] = (byte) (pending >>> pendingBits & (1 << bitsTo) - 1);
            }
            pending &= (1 << pendingBits) - 1;
        }
        if (at < result.length) {
            result[at] = (byte) (pending << bitsTo - pendingBits);
        }
        return result;
    }

    /** The same number in another base, with a leading 0 for each that was there (as Bitcoin does). */
    private static byte[] convert(byte[] digits, int from, int to) {
        int zeros = 0;
        while (zeros < digits.length && digits[zeros] == 0) {
            zeros++;
        }
        byte[] rest = digits.clone();
        byte[] result = new byte[digits.length * 2];
        int at = result.length;
        for (int first = zeros; first < rest.length; ) {
            int remainder = 0;
            for (int i = first; i < rest.length; i++) {
                int value = remainder * from + (rest[i] & BYTE_MASK);
                rest[i] = (byte) (value / to);
                remainder = value % to;
            }
            result[--at] = (byte) remainder;
            while (first < rest.length && rest[first] == 0) {
                first++;
            }
        }
        return Arrays.copyOfRange(result, at - zeros, result.length);
    }
}
