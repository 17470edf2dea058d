package dev.tenon.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tenon bench}. */
@Command(
        name = "bench",
        description = "Measures a server: how many calls a second, and how long they take.",
        mixinStandardHelpOptions = true,
        subcommands = {BenchIdCommand.class, BenchLockCommand.class, BenchTxCommand.class})
final class BenchCommands implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Say what to measure: id, lock or tx.");
    }
}
