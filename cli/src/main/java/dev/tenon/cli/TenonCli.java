package dev.tenon.cli;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tenon}: everything but the server itself. */
@Command(
        name = "tenon",
        description = "Unique IDs and locks from a Tenon server.",
        mixinStandardHelpOptions = true,
        version = "tenon 0.1.0-SNAPSHOT",
        subcommands = {IdCommand.class, LockCommand.class},
        footer = {
            "",
            "\"tenon server\" runs a server: see \"tenon server --help\".",
            "",
            "Exit codes: 0 done, 1 refused by the server, 2 wrong usage, 3 server unreachable,",
            "4 lock not acquired in time, 5 lease lost."
        })
public final class TenonCli implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    private TenonCli() {}

    /** Runs one command and ends the process with its exit code. */
    public static void main(String[] args) {
        System.exit(line().execute(args));
    }

    /** The command line, ready to be executed; streams can be set on it. */
    static CommandLine line() {
        return new CommandLine(new TenonCli())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler((failure, line, parsed) -> explain(failure, line));
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Say what to do: id or lock.");
    }

    private static int explain(Exception failure, CommandLine line) throws Exception {
        PrintWriter err = line.getErr();
        if (failure instanceof RefusedException refused) {
            boolean json = line.getParseResult().hasMatchedOption("--json");
            err.println(json ? refused.document() : "tenon: " + refused.getMessage());
            return ExitCode.REFUSED.code();
        }
        if (failure instanceof UnreachableException) {
            err.println("tenon: " + failure.getMessage());
            return ExitCode.UNREACHABLE.code();
        }
        throw failure;
    }
}
