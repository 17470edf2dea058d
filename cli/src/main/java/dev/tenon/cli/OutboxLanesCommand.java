package dev.tenon.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** {@code tenon outbox lanes}. */
@Command(
        name = "lanes",
        description = "Lists what waits to be sent, target by target and key by key, the oldest first.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class OutboxLanesCommand implements Callable<Integer> {
    @Mixin
    private ServerOptions server = new ServerOptions();

    @Mixin
    private OutboxName outbox = new OutboxName();

    @Option(names = "--limit", paramLabel = "N", defaultValue = "100", description = "Limit, up to 100 (default: 100).")
    private int limit;

    @Override
    public Integer call() {
        JsonNode lanes = server.client().fetch("/v1/outbox/lanes" + outbox.query() + "&limit=" + limit);
        if (!server.printed(lanes)) {
            OutboxDocument.printLanes(lanes.path("lanes"), server.out());
        }
        return ExitCode.OK.code();
    }
}
