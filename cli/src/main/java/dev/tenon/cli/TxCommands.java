package dev.tenon.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tenon tx}. */
@Command(
        name = "tx",
        description = "Lists transactions, and resumes or closes those that are stuck.",
        mixinStandardHelpOptions = true,
        subcommands = {
            TxLsCommand.class,
            TxShowCommand.class,
            TxRetryCommand.class,
            TxAbortCommand.class,
            TxSuspendCommand.class,
            TxResumeCommand.class,
            TxSubmitCommand.class,
            TxCloseCommand.class
        })
final class TxCommands implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "Say what to do: ls, show, retry, abort, suspend, resume, submit or close.");
    }
}
