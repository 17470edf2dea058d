package dev.tenon.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** {@code tenon tx show}. */
@Command(
        name = "show",
        description = "Shows one transaction: its branches, its state and its history.",
        mixinStandardHelpOptions = true)
final class TxShowCommand implements Callable<Integer> {
    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "GID", description = "The transaction.")
    private String gid = "";

    @Override
    public Integer call() {
        JsonNode tx = server.client().fetch("/v1/transactions/" + ServerClient.segment(gid));
        if (!server.printed(tx)) {
            TxDocument.print(tx, server.out());
        }
        return ExitCode.OK.code();
    }
}
