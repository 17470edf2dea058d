package dev.tenon.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tenon id}. */
@Command(
        name = "id",
        description = "Defines names of IDs, and gets IDs.",
        mixinStandardHelpOptions = true,
        subcommands = {
            IdDefineCommand.class,
            IdNextCommand.class,
            IdDecodeCommand.class,
            IdLsCommand.class,
            IdShowCommand.class,
            IdRmCommand.class,
            IdRaiseCommand.class,
            IdRotateKeyCommand.class
        })
final class IdCommands implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "Say what to do: define, next, decode, ls, show, rm, raise or rotate-key.");
    }
}
