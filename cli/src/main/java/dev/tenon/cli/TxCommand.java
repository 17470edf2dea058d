package dev.tenon.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tenon tx}. */
@Command(
        name = "tx",
        description = "Shows transactions, and helps those on that can't go on by themselves.",
        mixinStandardHelpOptions = true,
        subcommands = {
            TxLsCommand.class,
            TxShowCommand.class,
            TxRetryCommand.class,
            TxAbortCommand.class,
            TxSuspendCommand.class,
            TxResumeCommand.class,
            TxSubmitCommand.class
        })
final class TxCommand implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "Say what to do: ls, show, retry, abort, suspend, resume or submit.");
    }
}
