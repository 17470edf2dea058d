package dev.tenon.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** {@code tenon id rm}. */
@Command(
        name = "rm",
        description = "Deletes the definition of a name of which no ID was issued, or that can't be read.",
        mixinStandardHelpOptions = true)
final class IdRmCommand implements Callable<Integer> {
    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "NAME", description = "The name.")
    private String name = "";

    @Override
    public Integer call() {
        JsonNode answer = server.client().send("DELETE", "/v1/ids/" + ServerClient.segment(name));
        if (!server.printed(answer)) {
            server.out().println(name + " is no longer defined");
            server.out().flush();
        }
        return ExitCode.OK.code();
    }
}
