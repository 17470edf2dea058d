package dev.tenon.cli;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** {@code tenon lock revoke}. */
@Command(
        name = "revoke",
        description = "Asks all holders of a lock to release it, without forcing them (see evict). Counts down a "
                + "party of a latch.",
        mixinStandardHelpOptions = true)
final class LockRevokeCommand implements Callable<Integer> {
    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "NAME", description = "The lock; of a latch: LATCH#PARTY.")
    private String name = "";

    @Option(
            names = "--by",
            paramLabel = "TEXT",
            description = "Name of the requester (default: user, host and process).")
    private @Nullable String by;

    @Override
    public Integer call() {
        JsonNode asked = server.client()
                .send(
                        "POST",
                        "/v1/locks/" + ServerClient.segment(name) + "/revoke",
                        Map.of("by", by == null ? LockHold.owner() : by),
                        Duration.ofSeconds(30));
        if (!server.printed(asked)) {
            int holders = asked.path("asked").asInt();
            server.out().println(holders == 0 ? name + " is free" : name + ": " + holders + " asked to let go");
            server.out().flush();
        }
        return ExitCode.OK.code();
    }
}
