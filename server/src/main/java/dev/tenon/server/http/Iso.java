package dev.tenon.server.http;

import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import dev.tenon.server.problem.QuotedText;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Durations on the wire: ISO 8601 text such as {@code PT10S}. */
final class Iso {
    private Iso() {}

    /** Parses a field; empty if it was left out. */
    static Optional<Duration> duration(String field, @Nullable String text) {
        if (text == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(Duration.parse(text));
        } catch (DateTimeParseException e) {
            throw new ProblemException(
                    ProblemType.BAD_DURATION,
                    "\"" + field + "\" is not an ISO 8601 duration: \"" + QuotedText.shortened(text)
                            + "\". Write seconds as PT10S, minutes as PT5M, parts of a second as PT0.25S.");
        }
    }

    /** Parses a field that must be more than zero and at most {@code max}. */
    static Optional<Duration> positive(String field, @Nullable String text, Duration max) {
        Optional<Duration> duration = duration(field, text);
        duration.ifPresent(d -> {
            if (d.isZero() || d.isNegative() || d.compareTo(max) > 0) {
                throw new ProblemException(
                        ProblemType.BAD_DURATION,
                        "\"" + field + "\" must be more than zero and at most " + max + ", not " + text + ".");
            }
        });
        return duration;
    }
}
