package dev.tenon.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code tenon tx retry}. */
@Command(
        name = "retry",
        description = "Retries at once what is stuck or waits for its next attempt.",
        mixinStandardHelpOptions = true)
final class TxRetryCommand implements Callable<Integer> {
    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "GID", description = "The transaction.")
    private String gid = "";

    @Override
    public Integer call() {
        return TxDocument.act(server, gid, "retry", "");
    }
}
