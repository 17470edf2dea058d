package dev.tenon.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** {@code tenon outbox blocked}. */
@Command(
        name = "blocked",
        description = {
            "Shows failed messages that block others: all of them, or, with a target and a key, what",
            "blocks that key and what waits behind it."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class OutboxBlockedCommand implements Callable<Integer> {
    @Mixin
    private ServerOptions server = new ServerOptions();

    @Mixin
    private OutboxName outbox = new OutboxName();

    @Parameters(
            index = "0",
            paramLabel = "TARGET",
            arity = "0..1",
            defaultValue = "",
            description = "Target of the messages.")
    private String target = "";

    @Parameters(
            index = "1",
            paramLabel = "KEY",
            arity = "0..1",
            defaultValue = "",
            description = "Key of the messages.")
    private String key = "";

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        if (target.isEmpty() != key.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(), "Give both the target and the key: messages go in order by the two.");
        }
        if (target.isEmpty()) {
            JsonNode lanes = server.client().fetch("/v1/outbox/lanes" + outbox.query() + "&failing=true&limit=100");
            if (!server.printed(lanes)) {
                OutboxDocument.printLanes(lanes.path("lanes"), server.out());
            }
            return ExitCode.OK.code();
        }
        String lane = outbox.query() + OutboxDocument.with("target", target) + OutboxDocument.with("key", key);
        JsonNode messages = server.client().fetch("/v1/outbox/messages" + lane + "&limit=100");
        if (!server.printed(messages)) {
            print(messages);
        }
        return ExitCode.OK.code();
    }

    private void print(JsonNode messages) {
        Lines out = server.out();
        JsonNode first = messages.path("messages").path(0);
        if (first.isMissingNode()) {
            out.println("Nothing waits for " + target + " with the key " + key + ".");
        } else {
            out.println(OutboxDocument.summary(first));
            out.println();
            OutboxDocument.printMessages(messages, out);
            OutboxDocument.more(messages, out);
        }
        out.flush();
    }
}
