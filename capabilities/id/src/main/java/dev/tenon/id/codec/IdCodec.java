package dev.tenon.id.codec;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * Numbers and bytes as text in one of the usual bases, and back. Every number and every byte sequence has exactly one
 * text, and nothing else is read: a foreign character, a wrong length, a number over 64 bits, a leading zero or a stray
 * bit is refused with a message that says which.
 *
 * <p><b>Numbers are unsigned:</b> any {@code long} can be written, and a negative one is read as 2⁶⁴ more, so that −1
 * is the greatest. IDs of Tenon are 0 or more, and for those it makes no difference.
 *
 * <p><b>Bytes:</b> bases 2, 16, 32 and 64 take them in groups of bits, without padding (RFC 4648); 36, 58 and 62 as one
 * long number with a leading zero symbol for each leading zero byte, as Bitcoin does; at most 1024 of them.
 *
 * <table>
 * <caption>Width of a number</caption>
 * <tr><th>base</th><th>symbols</th><th>widest</th><th>order of text is order of number, at fixed width</th></tr>
 * <tr><td>2</td><td>01</td><td>64</td><td>yes</td></tr>
 * <tr><td>16</td><td>0-9a-f</td><td>16</td><td>yes</td></tr>
 * <tr><td>32</td><td>0-9A-Z but I, L, O, U (Crockford)</td><td>13</td><td>yes</td></tr>
 * <tr><td>36</td><td>0-9a-z</td><td>13</td><td>yes</td></tr>
 * <tr><td>58</td><td>1-9A-Za-z but I, O, l (Bitcoin)</td><td>11</td><td>yes</td></tr>
 * <tr><td>62</td><td>0-9A-Za-z</td><td>11</td><td>yes</td></tr>
 * <tr><td>64</td><td>A-Za-z0-9-_ (RFC 4648, for URLs)</td><td>11</td><td>no</td></tr>
 * </table>
 *
 * <p>The order is that of ASCII; a database column needs a binary collation for bases 58 and 62. Nothing is hidden: see
 * {@link PublicId}. Immutable.
 */
public final class IdCodec {
    private static final String DIGITS = "0123456789";
    private static final String UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    private static final String LOWER = "abcdefghijklmnopqrstuvwxyz";

    private static final IdCodec BASE2 = new IdCodec(new Alphabet("base 2", "01"), Typing.EXACT);
    private static final IdCodec BASE16 =
            new IdCodec(new Alphabet("base 16", DIGITS + LOWER.substring(0, 6)), Typing.LOWER_CASE);
    private static final IdCodec CROCKFORD32 =
            new IdCodec(new Alphabet("Crockford's base 32", DIGITS + UPPER.replaceAll("[ILOU]", "")), Typing.CROCKFORD);
    private static final IdCodec BASE36 = new IdCodec(new Alphabet("base 36", DIGITS + LOWER), Typing.LOWER_CASE);
    private static final IdCodec BASE58 =
            new IdCodec(new Alphabet("base 58", (DIGITS + UPPER + LOWER).replaceAll("[0IOl]", "")), Typing.EXACT);
    private static final IdCodec BASE62 = new IdCodec(new Alphabet("base 62", DIGITS + UPPER + LOWER), Typing.EXACT);
    private static final IdCodec BASE64 =
            new IdCodec(new Alphabet("base 64", UPPER + LOWER + DIGITS + "-_"), Typing.EXACT);

    private final Alphabet alphabet;
    private final Typing typing;
    private final boolean fixed;
    private final int width;
    private final long upperMax;

    private enum Typing {
        EXACT,
        LOWER_CASE,
        CROCKFORD
    }

    private IdCodec(Alphabet alphabet, Typing typing) {
        this(alphabet, typing, false);
    }

    private IdCodec(Alphabet alphabet, Typing typing, boolean fixed) {
        this.alphabet = alphabet;
        this.typing = typing;
        this.fixed = fixed;
        this.upperMax = Long.divideUnsigned(-1, alphabet.base());
        int digits = 1;
        for (long rest = upperMax; rest != 0; rest = Long.divideUnsigned(rest, alphabet.base())) {
            digits++;
        }
        this.width = digits;
    }

    /** Base 2. */
    public static IdCodec base2() {
        return BASE2;
    }

    /** Base 16, in lower case as {@link Long#toHexString} has it. */
    public static IdCodec base16() {
        return BASE16;
    }

    /**
     * Base 32 with Crockford's symbols (crockford.com/base32.html), which leave out what looks alike; no check symbol.
     */
    public static IdCodec crockford32() {
        return CROCKFORD32;
    }

    /** Base 36, in lower case as {@link Long#toString(long, int)} has it. */
    public static IdCodec base36() {
        return BASE36;
    }

    /** Base 58 with Bitcoin's symbols, which leave out what looks alike. */
    public static IdCodec base58() {
        return BASE58;
    }

    /** Base 62, in the order of ASCII. */
    public static IdCodec base62() {
        return BASE62;
    }

    /** Base 64 with the symbols for URLs and file names (RFC 4648, section 5). */
    public static IdCodec base64Url() {
        return BASE64;
    }

    /** The same base with every number padded to the width of the greatest, and only such read. */
    public IdCodec fixedWidth() {
        return new IdCodec(alphabet, typing, true);
    }

    /** The most symbols that a number has; with {@link #fixedWidth}, how many each has. */
    public int width() {
        return width;
    }

    /** Whether the order of texts, by ASCII, is the unsigned order of their numbers. */
    public boolean sortable() {
        return fixed && alphabet.ascending();
    }

    /** A number as text. */
    public String encode(long number) {
        byte[] text = new byte[width];
        int base = alphabet.base();
        int at = width;
        long rest = number;
        do {
            long upper = Long.divideUnsigned(rest, base);
            text[--at] = alphabet.symbol((int) (rest - upper * base));
            rest = upper;
        } while (rest != 0 || fixed && at > 0);
        return new String(text, at, width - at, StandardCharsets.ISO_8859_1);
    }

    /**
     * The number of a text.
     *
     * @throws IllegalArgumentException if it is not exactly what {@link #encode} writes
     */
    public long decode(String text) {
        int length = text.length();
        if (length == 0 || length > width || fixed && length < width) {
            throw alphabet.refusal(
                    text, "has " + length + " symbols; a number has " + (fixed ? "exactly " : "1 to ") + width);
        }
        if (!fixed && length > 1 && alphabet.value(text, 0) == 0) {
            throw alphabet.refusal(text, "begins with a zero; take it away, or read at fixed width");
        }
        int base = alphabet.base();
        long number = 0;
        for (int i = 0; i < length; i++) {
            int digit = alphabet.value(text, i);
            long shifted = number * base;
            boolean tooGreat = Long.compareUnsigned(number, upperMax) > 0;
            number = shifted + digit;
            if (tooGreat || Long.compareUnsigned(number, shifted) < 0) {
                throw alphabet.refusal(text, "is over 64 bits; the greatest number is " + encode(-1));
            }
        }
        return number;
    }

    /**
     * Bytes as text.
     *
     * @throws IllegalArgumentException if they are more than 1024
     */
    public String encodeBytes(byte[] bytes) {
        return ByteText.encode(alphabet, bytes);
    }

    /**
     * The bytes of a text.
     *
     * @throws IllegalArgumentException if it is not exactly what {@link #encodeBytes} writes
     */
    public byte[] decodeBytes(String text) {
        return ByteText.decode(alphabet, text);
    }

    /**
     * What a person typed, as this codec writes it: in bases 16, 32 and 36 with the case put right, in Crockford's also
     * I and L read as 1, O as 0, and hyphens dropped. Whether it is valid is for {@link #decode} to say.
     */
    public String tidy(String typed) {
        Objects.requireNonNull(typed, "typed");
        return switch (typing) {
            case EXACT -> typed;
            case LOWER_CASE -> withOtherCase(typed, 'A', 'Z');
            case CROCKFORD ->
                withOtherCase(typed, 'a', 'z')
                        .replace("-", "")
                        .replace('I', '1')
                        .replace('L', '1')
                        .replace('O', '0');
        };
    }

    /**
     * With these letters of ASCII in their other case, and no others: the lower case of the Kelvin sign is a k as well.
     */
    private static String withOtherCase(String typed, char first, char last) {
        char[] all = typed.toCharArray();
        for (int i = 0; i < all.length; i++) {
            if (all[i] >= first && all[i] <= last) {
                all[i] ^= 'a' - 'A';
            }
        }
        return String.valueOf(all);
    }

    Alphabet alphabet() {
        return alphabet;
    }

    @Override
    public String toString() {
        return alphabet.name() + (fixed ? ", fixed width" : "");
    }
}
