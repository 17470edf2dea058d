package dev.tenon.cli;

import java.net.URI;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
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
            description =
                    "The server, or the nodes of a cluster: URL,URL,… (default: $TENON_SERVER, else " + DEFAULT + ").")
    private @Nullable String server;

    @Option(
            names = "--api-key",
            paramLabel = "KEY",
            description = "API key; other users can see it in the process list: prefer TENON_API_KEY.")
    private @Nullable String apiKey;

    @Option(
            names = "--ca-cert",
            paramLabel = "FILE",
            description = "CA of a server with TLS, PEM (default: $TENON_CA_CERT, else Java's trust store).")
    private @Nullable Path caCert;

    @Option(names = "--cert", paramLabel = "FILE", description = "Client certificate, PEM, for mutual TLS; with --key.")
    private @Nullable Path cert;

    @Option(names = "--key", paramLabel = "FILE", description = "Its private key, PKCS#8 PEM.")
    private @Nullable Path key;

    @Option(names = "--json", description = "Print the server's JSON, errors included.")
    private boolean json;

    /** A client of the server that is meant. */
    ServerClient client() {
        String urls = given(server, "TENON_SERVER").orElse(DEFAULT);
        return new ServerClient(
                Arrays.stream(urls.split(",", -1))
                        .map(String::strip)
                        .map(this::checked)
                        .toList(),
                credentials());
    }

    private URI checked(String url) {
        try {
            URI uri = URI.create(url);
            if (uri.getHost() != null && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))) {
                return uri;
            }
        } catch (IllegalArgumentException e) {
            // said below
        }
        throw new ParameterException(
                spec.commandLine(), "The server must be a URL such as " + DEFAULT + ", not \"" + url + "\".");
    }

    private Credentials credentials() {
        Path ca = caCert != null
                ? caCert
                : given(null, "TENON_CA_CERT").map(Path::of).orElse(null);
        try {
            return new Credentials(
                    given(apiKey, "TENON_API_KEY"),
                    ca == null && cert == null && key == null
                            ? Optional.empty()
                            : Optional.of(Credentials.tls(ca, cert, key)));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "TLS: " + e.getMessage() + ".");
        }
    }

    private static Optional<String> given(@Nullable String option, String variable) {
        return Optional.ofNullable(option != null ? option : System.getenv(variable))
                .filter(text -> !text.isEmpty());
    }

    /** Whether JSON is wanted. */
    boolean json() {
        return json;
    }

    /** Where results go. */
    Lines out() {
        return new Lines(spec.commandLine().getOut());
    }

    /** Where remarks go. */
    Lines err() {
        return new Lines(spec.commandLine().getErr());
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
