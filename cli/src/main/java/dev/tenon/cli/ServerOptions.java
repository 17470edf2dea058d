package dev.tenon.cli;

import java.io.PrintWriter;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** What every command that asks a server takes. */
final class ServerOptions {
    private static final String DEFAULT = "http://127.0.0.1:7700";

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--server",
            paramLabel = "URL",
            description = "The server (default: $TENON_SERVER, else " + DEFAULT + ").")
    private @Nullable String server;

    @Option(names = "--json", description = "Print the server's JSON, errors too.")
    private boolean json;

    /** A client of the server that is meant. */
    ServerClient client() {
        String fromEnvironment = System.getenv("TENON_SERVER");
        String url = server != null
                ? server
                : fromEnvironment != null && !fromEnvironment.isEmpty() ? fromEnvironment : DEFAULT;
        try {
            URI uri = URI.create(url);
            if (uri.getHost() != null && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))) {
                return new ServerClient(uri);
            }
        } catch (IllegalArgumentException e) {
            // said below
        }
        throw new ParameterException(
                spec.commandLine(), "The server must be a URL such as " + DEFAULT + ", not \"" + url + "\".");
    }

    /** Whether JSON is wanted. */
    boolean json() {
        return json;
    }

    /** Where results go. */
    PrintWriter out() {
        return spec.commandLine().getOut();
    }

    /** Where remarks go. */
    PrintWriter err() {
        return spec.commandLine().getErr();
    }

    /** Prints JSON if it is wanted; true if so. */
    boolean printed(JsonNode answer) {
        if (json) {
            out().println(answer);
            out().flush();
        }
        return json;
    }
}
