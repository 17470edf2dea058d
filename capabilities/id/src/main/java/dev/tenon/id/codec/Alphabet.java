package dev.tenon.id.codec;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The symbols of a base, and how to refuse a text that is not of them. Immutable. */
final class Alphabet {
    private static final int ASCII = 128;
    private static final int SHOWN_MAX = 80;

    private final String name;
    private final byte[] symbols;
    private final byte[] values = new byte[ASCII];

    Alphabet(String name, String symbols) {
        this.name = name;
        this.symbols = symbols.getBytes(StandardCharsets.US_ASCII);
        Arrays.fill(values, (byte) -1);
        for (int i = 0; i < this.symbols.length; i++) {
            values[this.symbols[i]] = (byte) i;
        }
    }

    String name() {
        return name;
    }

    int base() {
        return symbols.length;
    }

    /** How many bits a symbol has; 0 if not a whole number. */
    int bits() {
        return Integer.bitCount(base()) == 1 ? Integer.numberOfTrailingZeros(base()) : 0;
    }

    /** Whether the order of the symbols' values is that of ASCII. */
    boolean ascending() {
        for (int i = 1; i < symbols.length; i++) {
            if (symbols[i - 1] >= symbols[i]) {
                return false;
            }
        }
        return true;
    }

    byte symbol(int value) {
        return symbols[value];
    }

    /** The value of the symbol at {@code index}; refuses one that is foreign. */
    int value(String text, int index) {
        char c = text.charAt(index);
        int value = c < ASCII ? values[c] : -1;
        if (value < 0) {
            throw refusal(
                    text,
                    "has '" + c + "' at " + index + "; the symbols are "
                            + new String(symbols, StandardCharsets.US_ASCII));
        }
        return value;
    }

    IllegalArgumentException refusal(String text, String why) {
        return refusal(name, text, why);
    }

    static IllegalArgumentException refusal(String what, String text, String why) {
        String shown = text.length() <= SHOWN_MAX ? text : text.substring(0, SHOWN_MAX) + "…";
        return new IllegalArgumentException("Not " + what + ": \"" + shown + "\" " + why);
    }
}
