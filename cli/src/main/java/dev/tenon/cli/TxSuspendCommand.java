package dev.tenon.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tenon tx suspend}. */
@Command(
        name = "suspend",
        description = "Suspends a transaction until it is resumed. Changes no decision.",
        mixinStandardHelpOptions = true)
final class TxSuspendCommand implements Callable<Integer> {
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
        return TxDocument.act(server, gid, "suspend", reason);
    }
}
