package dev.tenon.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tenon cluster}. */
@Command(
        name = "cluster",
        description = "Shows the nodes of a cluster, and changes who they are and which of them leads.",
        mixinStandardHelpOptions = true,
        subcommands = {
            ClusterStatusCommand.class,
            ClusterAddCommand.class,
            ClusterRemoveCommand.class,
            ClusterTransferCommand.class
        })
final class ClusterCommands implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Say what to do: status, add, remove or transfer.");
    }
}
