package dev.tenon.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.JsonNode;

/** Until when the IDs of a name go, and what is to be minded, as lines for people. */
final class Outlook {
    private static final long[] RATES = {1, 1_000, 1_000_000};
    private static final double YEAR_SECONDS = Duration.ofDays(365).toSeconds();

    private Outlook() {}

    /** What the server's report of a name says; nothing if its IDs do not run out. */
    static List<String> lines(JsonNode report) {
        JsonNode outlook = report.path("outlook");
        List<String> lines = new ArrayList<>();
        if (outlook.has("expires")) {
            lines.add(String.format(
                    Locale.ROOT,
                    "expires %s; up to %s workers, each of up to %,.0f IDs/s",
                    outlook.path("expires").asString(),
                    outlook.path("workers").asString(),
                    outlook.path("idsPerSecond").asDouble()));
        }
        if (outlook.has("left")) {
            long left = Long.parseLong(outlook.path("left").asString());
            StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%,d left", left));
            String lead = ", enough for ";
            for (long rate : RATES) {
                line.append(lead)
                        .append(roughly((double) left / rate))
                        .append(String.format(Locale.ROOT, " at %,d/s", rate));
                lead = ", ";
            }
            lines.add(line.toString());
        }
        if (outlook.has("perPeriod")) {
            lines.add("%s a %s"
                    .formatted(
                            outlook.path("perPeriod").asString(),
                            outlook.path("period").asString()));
        }
        if (outlook.has("warning")) {
            lines.add("WARNING: " + outlook.path("warning").asString());
        }
        byCode(report.path("byCode"), lines);
        return lines;
    }

    private static void byCode(JsonNode calls, List<String> lines) {
        if (calls.has("text")) {
            lines.add("by code: GET " + calls.path("text").asString()
                    + (calls.has("number")
                            ? ", or GET " + calls.path("number").asString() + " for a bare number"
                            : ""));
        }
        if (calls.has("warning")) {
            lines.add("WARNING: " + calls.path("warning").asString());
        }
    }

    private static String roughly(double seconds) {
        if (seconds >= YEAR_SECONDS) {
            return String.format(Locale.ROOT, "%,.0f years", seconds / YEAR_SECONDS);
        }
        Duration duration = Duration.ofSeconds((long) seconds);
        if (duration.toDays() > 2) {
            return duration.toDays() + " days";
        }
        if (duration.toHours() > 0) {
            return duration.toHours() + " h";
        }
        return duration.toMinutes() > 0 ? duration.toMinutes() + " min" : duration.toSeconds() + " s";
    }
}
