package dev.tenon.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.JsonNode;

/** {@code tenon id ls}. */
@Command(name = "ls", description = "Lists the names that are defined.", mixinStandardHelpOptions = true)
final class IdLsCommand implements Callable<Integer> {
    @Mixin
    private ServerOptions server = new ServerOptions();

    @Override
    public Integer call() {
        JsonNode answer = server.client().fetch("/v1/ids");
        if (!server.printed(answer)) {
            Table table = new Table("NAME", "KIND", "ISSUED", "DEFINITION");
            for (JsonNode ids : answer.path("ids")) {
                JsonNode definition = ids.path("definition");
                String unreadable = ids.path("unreadable").asString("");
                table.row(
                        ids.path("name").asString(),
                        unreadable.isEmpty() ? definition.path("kind").asString() : "unreadable",
                        ids.path("issued").asString(),
                        unreadable.isEmpty() ? definition.toString() : unreadable);
            }
            table.print(server.out());
        }
        return ExitCode.OK.code();
    }
}
