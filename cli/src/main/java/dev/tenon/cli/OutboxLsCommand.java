package dev.tenon.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** {@code tenon outbox ls}. */
@Command(
        name = "ls",
        description = "Lists the outboxes of the server's database, with the lag of each.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class OutboxLsCommand implements Callable<Integer> {
    @Mixin
    private ServerOptions server = new ServerOptions();

    @Option(names = "--after", paramLabel = "NAME", defaultValue = "", description = "Only names greater than this.")
    private String after = "";

    @Option(names = "--limit", paramLabel = "N", defaultValue = "100", description = "Limit, up to 100 (default: 100).")
    private int limit;

    @Override
    public Integer call() {
        JsonNode page = server.client().fetch("/v1/outbox?limit=" + limit + OutboxDocument.with("after", after));
        if (!server.printed(page)) {
            Table table = new Table("OUTBOX", "WAITING", "LAG", "DEAD", "OLDEST DEATH");
            page.path("outboxes")
                    .forEach(outbox -> table.row(
                            outbox.path("outbox").asString(),
                            OutboxDocument.count(outbox.path("waiting")),
                            OutboxDocument.span(outbox.path("lag").asString("")),
                            OutboxDocument.count(outbox.path("deadLetters")),
                            outbox.path("oldestDeath").asString("-")));
            table.print(server.out());
            OutboxDocument.more(page, server.out());
        }
        return ExitCode.OK.code();
    }
}
