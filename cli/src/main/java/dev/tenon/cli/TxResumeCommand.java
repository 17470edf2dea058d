package dev.tenon.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code tenon tx resume}. */
@Command(name = "resume", description = "Resumes a suspended transaction.", mixinStandardHelpOptions = true)
final class TxResumeCommand implements Callable<Integer> {
    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "GID", description = "The transaction.")
    private String gid = "";

    @Override
    public Integer call() {
        return TxDocument.act(server, gid, "resume", "");
    }
}
