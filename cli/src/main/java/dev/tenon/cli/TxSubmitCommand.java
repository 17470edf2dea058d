package dev.tenon.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code tenon tx submit}. */
@Command(
        name = "submit",
        description = "Submits a prepared message for delivery, in place of its sender.",
        mixinStandardHelpOptions = true)
final class TxSubmitCommand implements Callable<Integer> {
    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "GID", description = "The transaction.")
    private String gid = "";

    @Override
    public Integer call() {
        return TxDocument.act(server, gid, "submit", "");
    }
}
