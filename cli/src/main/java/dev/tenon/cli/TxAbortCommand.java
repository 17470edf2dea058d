package dev.tenon.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tenon tx abort}. */
@Command(
        name = "abort",
        description = "Decides that a transaction is aborted, and has it undone. What is committed stays so.",
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
            description = "Why; it stands in the history and in the audit log.")
    private String reason = "";

    @Override
    public Integer call() {
        return TxDocument.act(server, gid, "abort", reason);
    }
}
