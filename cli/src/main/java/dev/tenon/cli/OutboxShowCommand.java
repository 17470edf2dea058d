package dev.tenon.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** {@code tenon outbox show}. */
@Command(
        name = "show",
        description = "Shows one message: its state, its errors and its history.",
        mixinStandardHelpOptions = true)
final class OutboxShowCommand implements Callable<Integer> {
    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "NUMBER", description = "The message.")
    private long number;

    @Override
    public Integer call() {
        JsonNode message = server.client().fetch("/v1/outbox/messages/" + number);
        if (!server.printed(message)) {
            OutboxDocument.print(message, server.out());
        }
        return ExitCode.OK.code();
    }
}
