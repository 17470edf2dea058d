package dev.tenon.cli;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import tools.jackson.databind.JsonNode;

/** Messages of outboxes as the server shows them, for people. */
final class OutboxDocument {
    private static final int TROUBLE_MAX = 60;
    /** Up to where the server counts. */
    private static final int COUNT_MAX = 1000;

    private OutboxDocument() {}

    /** A further parameter of a query; none if it has no value. */
    static String with(String parameter, String value) {
        return value.isEmpty() ? "" : "&" + parameter + "=" + ServerClient.query(value);
    }

    /** How many; from a thousand on nobody has counted. */
    static String count(JsonNode number) {
        return number.asInt() >= COUNT_MAX ? COUNT_MAX + "+" : String.valueOf(number.asInt());
    }

    /** A duration in its largest units, such as {@code 3h5m}; a dash if there is none. */
    static String span(String iso) {
        if (iso.isEmpty()) {
            return "-";
        }
        try {
            Duration span = Duration.parse(iso);
            if (span.compareTo(Duration.ofMinutes(1)) < 0) {
                return span.toSeconds() + "." + span.toMillisPart() / 100 + "s";
            }
            if (span.compareTo(Duration.ofHours(1)) < 0) {
                return span.toMinutes() + "m" + span.toSecondsPart() + "s";
            }
            return span.compareTo(Duration.ofDays(1)) < 0
                    ? span.toHours() + "h" + span.toMinutesPart() + "m"
                    : span.toDays() + "d" + span.toHoursPart() + "h";
        } catch (DateTimeParseException e) {
            return iso;
        }
    }

    /** From where to go on, if there are more. */
    static void more(JsonNode page, Lines out) {
        if (page.hasNonNull("next")) {
            out.println("There may be more: --after " + page.path("next").asString());
        }
        out.flush();
    }

    /** Lanes, a line each. */
    static void printLanes(JsonNode lanes, Lines out) {
        Table table = new Table("TARGET", "KEY", "OLDEST", "WAITING", "NUMBER", "STATE", "TRIES", "TROUBLE");
        lanes.forEach(lane -> table.row(
                lane.path("target").asString(),
                lane.path("key").asString("-"),
                span(lane.path("first").path("age").asString("")),
                count(lane.path("waiting")),
                lane.path("first").path("number").asString(),
                lane.path("first").path("state").asString(),
                lane.path("first").path("attempts").asString(),
                trouble(lane.path("first"))));
        table.print(out);
    }

    /** Messages, a line each. */
    static void printMessages(JsonNode page, Lines out) {
        Table table = new Table("NUMBER", "STATE", "TARGET", "KEY", "TYPE", "AGE", "TRIES", "TROUBLE");
        page.path("messages")
                .forEach(message -> table.row(
                        message.path("number").asString(),
                        message.path("state").asString(),
                        message.path("target").asString(),
                        message.path("key").asString("-"),
                        message.path("type").asString(),
                        span(message.path("age").asString("")),
                        message.path("attempts").asString(),
                        trouble(message)));
        table.print(out);
    }

    /** In a line, what a message is and what troubles it. */
    static String summary(JsonNode message) {
        String why = trouble(message);
        return "Message " + message.path("number").asString() + " to "
                + message.path("target").asString() + " is "
                + message.path("state").asString()
                + (why.isEmpty() ? "" : ": " + why);
    }

    /** All of a message. */
    static void print(JsonNode message, Lines out) {
        out.println(summary(message));
        out.println("outbox:   " + message.path("outbox").asString());
        out.println("id:       " + message.path("id").asString());
        out.println("key:      " + message.path("key").asString("-"));
        out.println("type:     " + message.path("type").asString());
        out.println("tries:    " + message.path("attempts").asString());
        out.println("enqueued: " + message.path("enqueuedAt").asString() + ", "
                + span(message.path("age").asString("")) + " ago");
        if (message.hasNonNull("dueAt")) {
            out.println("next:     " + message.path("dueAt").asString());
        }
        if (message.hasNonNull("endedAt")) {
            out.println("ended:    " + message.path("endedAt").asString());
        }
        printContent(message, out);
        if (!message.path("history").isEmpty()) {
            out.println();
            message.path("history")
                    .forEach(event -> out.println(event.path("at").asString() + "  "
                            + event.path("what").asString() + " by "
                            + event.path("by").asString()
                            + (event.path("detail").asString("").isEmpty()
                                    ? ""
                                    : ": " + event.path("detail").asString())));
        }
        out.flush();
    }

    private static void printContent(JsonNode message, Lines out) {
        JsonNode content = message.path("content");
        content.path("headers")
                .properties()
                .forEach(header -> out.println("header:   " + header.getKey() + ": "
                        + header.getValue().asString()));
        String size = message.path("size").asString() + " bytes";
        if (content.isMissingNode()) {
            out.println("body:     " + size);
        } else {
            out.println("body:     " + size + (content.path("complete").asBoolean() ? "" : ", of which the first are"));
            out.println(content.path("text").asString(content.path("base64").asString("")));
        }
    }

    private static String trouble(JsonNode message) {
        String line = message.path("lastError").asString("").replaceAll("\\s+", " ");
        return line.length() <= TROUBLE_MAX ? line : line.substring(0, TROUBLE_MAX) + "…";
    }
}
