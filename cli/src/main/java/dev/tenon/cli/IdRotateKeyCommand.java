package dev.tenon.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.JsonNode;

/** {@code tenon id rotate-key}. */
@Command(
        name = "rotate-key",
        description = "Writes public IDs with a new key from now on; those written before can still be read.",
        mixinStandardHelpOptions = true)
final class IdRotateKeyCommand implements Callable<Integer> {
    @Mixin
    private ServerOptions server = new ServerOptions();

    @Override
    public Integer call() {
        JsonNode answer = server.client().send("POST", "/v1/public-ids/rotate");
        if (!server.printed(answer)) {
            server.out()
                    .println("Public IDs are written with key "
                            + answer.path("version").asString() + " from now on");
            server.out().flush();
        }
        return ExitCode.OK.code();
    }
}
