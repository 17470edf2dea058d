package dev.tenon.server;

import dev.tenon.server.AccessOptions.Access;
import java.net.InetAddress;
import java.net.UnknownHostException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Where the server listens. */
final class ListenOptions {
    private static final int PORT_MAX = 65_535;

    @Spec(Target.MIXEE)
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "7700",
            description = "Port of the HTTP interface (default: 7700); 0: any free one, which is printed.")
    private int port;

    @Option(
            names = "--host",
            paramLabel = "HOST",
            defaultValue = "127.0.0.1",
            description = "Address to listen on (default: 127.0.0.1).")
    private String host = "127.0.0.1";

    @Option(
            names = "--insecure-bind",
            description = "Listen on an address that other machines reach although not everyone is asked who he is, or "
                    + "although it is in plain text.")
    private boolean insecureBind;

    private boolean encrypted;

    /** The options of the node, if they are allowed. */
    NodeOptions checked(Access access) {
        if (port < 0 || port > PORT_MAX) {
            throw new ParameterException(spec.commandLine(), "--port must be between 0 and " + PORT_MAX + ".");
        }
        try {
            if (!InetAddress.getByName(host).isLoopbackAddress() && !insecureBind) {
                requireSafe(access);
            }
        } catch (UnknownHostException e) {
            throw new StartException(ServerExitCode.ADDRESS, "There is no host \"" + host + "\".", e);
        }
        encrypted = access.encrypted();
        return NodeOptions.at(host, port).withGate(access.gate()).withProtection(access.protection());
    }

    private void requireSafe(Access access) {
        String wanting = "";
        if (!access.authenticated()) {
            wanting = "nobody is asked who he is (--api-keys, or --tls-client-ca)";
        } else if (!access.encrypted()) {
            wanting = "keys would be sent in plain text (--tls-cert, --tls-key)";
        }
        if (!wanting.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Refused: " + host + " is reachable from other machines, and " + wanting
                            + ". Keep the default (127.0.0.1), or say --insecure-bind if your network protects it.");
        }
    }

    /** Where a node is reached that listens on {@code bound}. */
    String url(int bound) {
        return (encrypted ? "https://" : "http://") + (host.contains(":") ? "[" + host + "]" : host) + ":" + bound;
    }
}
