package dev.tenon.cli;

import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** {@code tenon tx close}. */
@Command(
        name = "close",
        description = "Closes a transaction as it is, for good: no participant is called any more, and its branches "
                + "stay as they are. For one whose commit or abort can never succeed, after you have "
                + "cleaned up what it leaves.",
        mixinStandardHelpOptions = true)
final class TxCloseCommand implements Callable<Integer> {
    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "GID", description = "The transaction.")
    private String gid = "";

    @Option(
            names = "--as-is",
            required = true,
            description = "Confirms that nothing more is committed, and nothing more is undone.")
    private boolean asIs;

    @Option(
            names = "--why",
            paramLabel = "TEXT",
            required = true,
            description = "What was done about it, for the history and the audit log.")
    private String why = "";

    @Override
    public Integer call() {
        JsonNode tx = server.client()
                .send(
                        "POST",
                        "/v1/transactions/" + ServerClient.segment(gid) + "/close",
                        Map.of("reason", why),
                        ServerClient.TIMEOUT);
        if (!server.printed(tx)) {
            server.out().println(gid + " is " + TxDocument.state(tx) + ". It leaves, as it is:");
            TxDocument.branches(tx).print(server.out());
            server.out().flush();
        }
        return ExitCode.OK.code();
    }
}
