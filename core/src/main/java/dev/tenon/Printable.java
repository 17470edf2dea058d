package dev.tenon;

/**
 * Text from elsewhere, made fit for a line of a log or a terminal: what would end the line, move the cursor, or change
 * the order in which the rest is read, is shown instead of being done. Letters of every script stay as they are.
 * Thread-safe: no state.
 *
 * <p>Shown as {@code \n}, {@code \r}, {@code \t} or <code>&#92;uXXXX</code>: control characters (C0, DEL and C1, to
 * which the escape sequences of terminals belong), separators of lines and paragraphs, characters that show nothing
 * themselves (Unicode's category Cf, with the marks of direction; not the joiners U+200C and U+200D, which scripts
 * need), and halves of surrogate pairs. The same replacement leaves JSON the same value, as these can stand in its
 * strings only.
 */
public final class Printable {
    private static final int ZERO_WIDTH_NON_JOINER = 0x200C;
    private static final int ZERO_WIDTH_JOINER = 0x200D;

    private Printable() {}

    /** The text, with what is not to be done shown. */
    public static String of(String text) {
        int clean = 0;
        while (clean < text.length() && isPlain(text.charAt(clean))) {
            clean++;
        }
        if (clean == text.length()) {
            return text;
        }
        StringBuilder shown = new StringBuilder(text.length() + 16).append(text, 0, clean);
        int i = clean;
        while (i < text.length()) {
            int point = text.codePointAt(i);
            int end = i + Character.charCount(point);
            if (isShown(point)) {
                text.substring(i, end).chars().forEach(unit -> escape((char) unit, shown));
            } else {
                shown.appendCodePoint(point);
            }
            i = end;
        }
        return shown.toString();
    }

    /**
     * As {@link #of(String)}, of so many characters at most; where more are left out, {@code …} stands for them.
     *
     * @param charactersMax of the text, before anything is shown by several
     */
    public static String of(String text, int charactersMax) {
        return text.length() <= charactersMax ? of(text) : of(text.substring(0, charactersMax)) + "…";
    }

    /** What most text is: letters, digits and signs of ASCII. */
    private static boolean isPlain(char c) {
        return c >= ' ' && c <= '~';
    }

    private static boolean isShown(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR, Character.SURROGATE ->
                true;
            case Character.FORMAT -> point != ZERO_WIDTH_NON_JOINER && point != ZERO_WIDTH_JOINER;
            default -> false;
        };
    }

    private static void escape(char unit, StringBuilder shown) {
        switch (unit) {
            case '\n' -> shown.append("\\n");
            case '\r' -> shown.append("\\r");
            case '\t' -> shown.append("\\t");
            default -> shown.append("\\u").append("%04x".formatted((int) unit));
        }
    }
}
