package dev.tenon.cli;

import dev.tenon.Printable;
import java.io.PrintWriter;
import picocli.CommandLine.Help.Ansi;
import tools.jackson.databind.JsonNode;

/**
 * Where commands print. Names, reasons and answers come from servers, their clients and their participants: what would
 * act on a terminal is shown instead. Colours of our own are added behind that. Not thread-safe.
 */
final class Lines {
    private final PrintWriter to;

    Lines(PrintWriter to) {
        this.to = to;
    }

    /** A line of text. */
    void println(String text) {
        to.println(Printable.of(text));
    }

    /** An empty line. */
    void println() {
        to.println();
    }

    /** A JSON document on a line; it has the same value with its control characters escaped. */
    void println(JsonNode document) {
        to.println(Printable.of(document.toString()));
    }

    /**
     * A line that begins in a style, which stands out on a terminal.
     *
     * @param style of picocli, such as {@code bold}
     */
    void println(Ansi ansi, String style, String begin, String rest) {
        to.println(ansi.string("@|" + style + " x|@").replace("x", Printable.of(begin)) + Printable.of(rest));
    }

    void flush() {
        to.flush();
    }
}
