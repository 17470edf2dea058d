package dev.tenon.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** {@code tenon outbox dead}. */
@Command(
        name = "dead",
        description = "Lists dead letters, each with its last error.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class OutboxDeadCommand implements Callable<Integer> {
    @Mixin
    private ServerOptions server = new ServerOptions();

    @Mixin
    private OutboxName outbox = new OutboxName();

    @Mixin
    private OutboxFilter filter = new OutboxFilter();

    @Option(
            names = "--after",
            paramLabel = "NUMBER",
            defaultValue = "0",
            description = "Only numbers greater than this.")
    private long after;

    @Option(names = "--limit", paramLabel = "N", defaultValue = "100", description = "Limit, up to 100 (default: 100).")
    private int limit;

    @Override
    public Integer call() {
        JsonNode page = server.client()
                .fetch("/v1/outbox/dead-letters" + outbox.query() + filter.query() + "&after=" + after + "&limit="
                        + limit);
        if (!server.printed(page)) {
            OutboxDocument.printMessages(page, server.out());
            OutboxDocument.more(page, server.out());
        }
        return ExitCode.OK.code();
    }
}
