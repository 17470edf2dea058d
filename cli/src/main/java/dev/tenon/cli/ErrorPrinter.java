package dev.tenon.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a command has to say on stderr: a line for people, or with {@code --json} a problem document (RFC 9457), the
 * server's own or one of the type {@code urn:tenon:cli:KIND}.
 */
enum ErrorPrinter {
    USAGE("The command line is not valid"),
    UNREACHABLE("No server answers"),
    NOT_ACQUIRED("The lock was not acquired in time"),
    LEASE_LOST("The lease was lost, and the command stopped"),
    ASKED_BACK("Somebody asks for the lock back"),
    NOT_STARTED("The command could not be started"),
    FAILED("Something went wrong that should not");

    private final String title;

    ErrorPrinter(String title) {
        this.title = title;
    }

    /** Says it. */
    void say(CommandLine line, boolean json, String detail) {
        if (!json) {
            inWords(line, detail);
            return;
        }
        Map<String, Object> document = new LinkedHashMap<>();
        document.put(
                "type",
                "urn:tenon:cli:" + name().toLowerCase(java.util.Locale.ROOT).replace('_', '-'));
        document.put("title", title);
        document.put("detail", detail);
        Lines err = new Lines(line.getErr());
        err.println(new JsonMapper().valueToTree(document));
        err.flush();
    }

    /** Says what a server refused, and why. */
    static void say(CommandLine line, boolean json, RefusedException refused) {
        JsonNode document = refused.document();
        if (json && document.has("type")) {
            Lines err = new Lines(line.getErr());
            err.println(document);
            err.flush();
        } else {
            FAILED.say(line, json, String.valueOf(refused.getMessage()));
        }
    }

    private static void inWords(CommandLine line, String detail) {
        Lines err = new Lines(line.getErr());
        err.println(Terminals.ofThisProcess().errAnsi(), "bold,red", "tenon:", " " + detail);
        err.flush();
    }
}
