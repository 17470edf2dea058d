package dev.tenon.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tenon lock}. */
@Command(
        name = "lock",
        description = "Runs commands under locks, and shows who holds what.",
        mixinStandardHelpOptions = true,
        subcommands = {
            LockRunCommand.class,
            LockLsCommand.class,
            LockWhoCommand.class,
            LockRevokeCommand.class,
            LockEvictCommand.class
        })
final class LockCommands implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Say what to do: run, ls, who, revoke or evict.");
    }
}
