package dev.tenon.cli;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** {@code tenon cluster transfer}. */
@Command(name = "transfer", description = "Makes a member the leader.", mixinStandardHelpOptions = true)
final class ClusterTransferCommand implements Callable<Integer> {
    private static final Duration TRANSFER_MAX = Duration.ofMinutes(1);

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "NAME", description = "The node.")
    private String name = "";

    @Override
    public Integer call() {
        ServerClient client = server.client();
        JsonNode cluster = client.send("POST", "/v1/cluster/leader", Map.of("name", name), TRANSFER_MAX);
        if (!server.printed(cluster)) {
            server.out().println(name + " leads");
            ClusterStatusCommand.print(server, cluster);
        }
        return ExitCode.OK.code();
    }
}
