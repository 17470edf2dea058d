package dev.tenon.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** {@code tenon lock evict}. */
@Command(
        name = "evict",
        description = "Evicts the holder of a lock. Its token is invalid from then on, where it is checked.",
        mixinStandardHelpOptions = true)
final class LockEvictCommand implements Callable<Integer> {
    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "NAME", description = "The lock.")
    private String name = "";

    @Option(names = "--reason", paramLabel = "TEXT", required = true, description = "The reason, for the server's log.")
    private String reason = "";

    @Option(names = "--token", paramLabel = "N", description = "Only if it is held under this token.")
    private @Nullable Long token;

    @Override
    public Integer call() {
        String path = "/v1/locks/" + ServerClient.segment(name) + "?reason=" + ServerClient.query(reason)
                + (token == null ? "" : "&token=" + token);
        JsonNode evicted = server.client().send("DELETE", path);
        if (!server.printed(evicted)) {
            server.out()
                    .println(name + " was taken from " + evicted.path("owner").asString() + " (token "
                            + evicted.path("token").asString() + ")");
            server.out().flush();
        }
        return ExitCode.OK.code();
    }
}
