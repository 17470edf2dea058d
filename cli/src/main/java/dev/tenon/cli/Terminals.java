package dev.tenon.cli;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi;

/**
 * Which of the two outputs a person sees. The launcher says so, as only a shell can tell them apart; without it,
 * neither.
 *
 * @param out whether results go to a terminal
 * @param err whether remarks go to a terminal
 * @param colours whether terminals may have colours
 */
record Terminals(boolean out, boolean err, boolean colours) {
    /** Set by the launcher: {@code out}, {@code err}, {@code out,err} or nothing. */
    static final String PROPERTY = "tenon.terminals";

    /** Those of this process. */
    static Terminals ofThisProcess() {
        return of(System.getProperty(PROPERTY), System.getenv());
    }

    /** As a property and an environment say: {@code NO_COLOR} (no-color.org) and a dumb terminal allow no colours. */
    static Terminals of(@Nullable String property, Map<String, String> environment) {
        List<String> names = property == null ? List.of() : Arrays.asList(property.split(",", -1));
        boolean colours = environment.getOrDefault("NO_COLOR", "").isEmpty()
                && !environment.getOrDefault("TERM", "dumb").equals("dumb");
        return new Terminals(names.contains("out"), names.contains("err"), colours);
    }

    /** How results are coloured. */
    Ansi outAnsi() {
        return out && colours ? Ansi.ON : Ansi.OFF;
    }

    /** How remarks are coloured. */
    Ansi errAnsi() {
        return err && colours ? Ansi.ON : Ansi.OFF;
    }
}
