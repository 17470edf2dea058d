package dev.tenon.server;

import dev.tenon.raft.RaftSecret;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tenon key cluster}. */
@Command(
        name = "cluster",
        description = {
            "Makes the secret by which the nodes of a cluster know each other: a private key and its certificate.",
            "Copy the file to every node, for the server's user alone (chmod 0600), and start each with --cluster-secret FILE. "
                    + "Whoever has the file can change and delete everything."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class KeyClusterCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "FILE", description = "Where it goes; it must not exist.")
    private Path file = Path.of("");

    @Override
    public Integer call() {
        RaftSecret.create(file);
        spec.commandLine().getErr().println("Copy " + file + " to every node, and start each with --cluster-secret.");
        return ServerExitCode.STOPPED.code();
    }
}
