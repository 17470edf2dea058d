package dev.tenon.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tenon tx abort}. */
@Command(
        name = "abort",
        description = "Aborts a transaction, and undoes its branches. What is committed stays committed.",
        mixinStandardHelpOptions = true)
final class TxAbortCommand implements Callable<Integer> {
    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "GID", description = "The transaction.")
    private String gid = "";

    @Option(
            names = "--reason",
            paramLabel = "TEXT",
            required = true,
            description = "The reason, for the history and the audit log.")
    private String reason = "";

    @Override
    public Integer call() {
        return TxDocument.act(server, gid, "abort", reason);
    }
}
