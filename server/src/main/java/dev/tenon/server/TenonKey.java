package dev.tenon.server;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code tenon key}: makes, lists and revokes the API keys in the file of a server ({@code --api-keys}), and makes the
 * secret of a cluster.
 */
@Command(
        name = "tenon key",
        description = "Creates, lists and revokes API keys in a server's key file; creates the secret of a cluster.",
        mixinStandardHelpOptions = true,
        subcommands = {KeyCreateCommand.class, KeyLsCommand.class, KeyRevokeCommand.class, KeyClusterCommand.class})
public final class TenonKey implements Runnable {
    /** It understood, and did not. */
    private static final int REFUSED = 1;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private TenonKey() {}

    /** Runs one command and ends the process: 0 done, 1 refused, 2 wrong usage. */
    public static void main(String[] args) {
        System.exit(line().execute(args));
    }

    /** The command line, ready to be executed; streams can be set on it. */
    static CommandLine line() {
        return new CommandLine(new TenonKey()).setExecutionExceptionHandler((failure, line, parsed) -> {
            if (failure instanceof IllegalArgumentException) {
                PrintWriter err = line.getErr();
                err.println("tenon key: " + failure.getMessage() + ".");
                return REFUSED;
            }
            throw failure;
        });
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing command: create, ls, revoke or cluster.");
    }
}
