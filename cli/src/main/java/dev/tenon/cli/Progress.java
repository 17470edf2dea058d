package dev.tenon.cli;

import dev.tenon.Printable;
import java.io.PrintWriter;

/** One line that tells how far long work is, and is gone when the work is done. Only where a person sees it. */
final class Progress implements AutoCloseable {
    private static final String CLEAR = "\r\u001b[K";

    private final PrintWriter err;
    private final boolean shown;
    private boolean dirty;

    /**
     * @param shown false: nothing is ever printed
     */
    Progress(PrintWriter err, boolean shown) {
        this.err = err;
        this.shown = shown;
    }

    /** Replaces the line. */
    void show(String text) {
        if (shown) {
            err.print(CLEAR + Printable.of(text));
            err.flush();
            dirty = true;
        }
    }

    /** Takes the line away. */
    @Override
    public void close() {
        if (dirty) {
            err.print(CLEAR);
            err.flush();
            dirty = false;
        }
    }
}
