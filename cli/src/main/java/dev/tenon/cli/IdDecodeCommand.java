package dev.tenon.cli;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** {@code tenon id decode}. */
@Command(
        name = "decode",
        description = "Decodes an ID: time, worker, sequence.",
        mixinStandardHelpOptions = true,
        customSynopsis = "tenon id decode [--json] [--server=URL] [NAME] ID")
final class IdDecodeCommand implements Callable<Integer> {
    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(
            arity = "1..2",
            paramLabel = "[NAME] ID",
            hideParamSyntax = true,
            description = "The ID, and before it its name (default: default).")
    private List<String> words = List.of();

    @Override
    public Integer call() {
        String name = words.size() == 2 ? words.get(0) : "default";
        String id = words.get(words.size() - 1);
        JsonNode parts =
                server.client().fetch("/v1/ids/" + ServerClient.segment(name) + "/decode/" + ServerClient.segment(id));
        if (!server.printed(parts)) {
            parts.properties()
                    .forEach(p -> server.out()
                            .println("%-13s %s"
                                    .formatted(p.getKey(), p.getValue().asString())));
            server.out().flush();
        }
        return ExitCode.OK.code();
    }
}
