package dev.tenon.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** {@code tenon cluster remove}. */
@Command(
        name = "remove",
        description = "Removes a node from the cluster, running or not. It must not be started again with its "
                + "old folder.",
        mixinStandardHelpOptions = true)
final class ClusterRemoveCommand implements Callable<Integer> {
    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "NAME", description = "The node.")
    private String name = "";

    @Override
    public Integer call() {
        ServerClient client = server.client();
        JsonNode cluster = client.send("DELETE", "/v1/cluster/members?name=" + ServerClient.query(name));
        if (!server.printed(cluster)) {
            server.out().println(name + " is no longer a member");
            ClusterStatusCommand.print(server, cluster);
        }
        return ExitCode.OK.code();
    }
}
