package dev.tenon.server.problem;

/** Text of a request, quoted in a message. */
public final class QuotedText {
    private static final int LENGTH_MAX = 60;

    private QuotedText() {}

    /** {@code text} cut to what fits an error message. */
    public static String shortened(String text) {
        return text.length() <= LENGTH_MAX ? text : text.substring(0, LENGTH_MAX) + "…";
    }

    /** A name as a shell takes it. */
    public static String quoted(String name) {
        return name.matches("[A-Za-z0-9._:@-]+") ? name : "'" + name.replace("'", "'\\''") + "'";
    }
}
