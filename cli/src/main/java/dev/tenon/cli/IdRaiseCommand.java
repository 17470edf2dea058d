package dev.tenon.cli;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** {@code tenon id raise}. */
@Command(
        name = "raise",
        description = {
            "Raises the numbers of a name above those that were issued, after its store has gone back (was "
                    + "restored from a "
                    + "backup, or failed over to a replica that was behind).",
            "With several servers over one store, give --above the greatest number that any of them has seen: see "
                    + "\"highestSeen\" of tenon id show NAME at each."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class IdRaiseCommand implements Callable<Integer> {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "NAME", description = "The name.")
    private String name = "";

    @Option(
            names = "--above",
            paramLabel = "N",
            description = "Every later number is greater (default: the greatest that the server has seen).")
    private @Nullable Long above;

    @Override
    public Integer call() {
        Map<String, Object> body = new HashMap<>();
        if (above != null) {
            if (above < 0) {
                throw new ParameterException(spec.commandLine(), "--above must be 0 or more.");
            }
            body.put("above", String.valueOf(above));
        }
        JsonNode answer =
                server.client().send("POST", "/v1/ids/" + ServerClient.segment(name) + "/raise", body, TIMEOUT);
        if (!server.printed(answer)) {
            server.out()
                    .println(name + " goes on at " + answer.path("next").asString() + ", above "
                            + answer.path("above").asString());
            server.out().flush();
        }
        return ExitCode.OK.code();
    }
}
