package dev.tenon.cli;

import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.core.JacksonException;

/** {@code tenon}: everything but the server itself. */
@Command(
        name = "tenon",
        description = "Unique IDs, locks and transactions from a Tenon server.",
        mixinStandardHelpOptions = true,
        version = "tenon 0.1.0-SNAPSHOT",
        subcommands = {
            IdCommands.class,
            LockCommands.class,
            TxCommands.class,
            OutboxCommands.class,
            ClusterCommands.class,
            BackupCommand.class,
            BenchCommands.class,
            CompletionCommand.class,
            ManCommand.class,
            CommandLine.HelpCommand.class
        },
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:refused by the server, or failed",
            "2:wrong usage",
            "3:server unreachable",
            "4:lock run: not acquired in time",
            "5:lock run: lease lost, CMD stopped",
            "126:lock run: CMD can't be executed",
            "127:lock run: there is no CMD"
        },
        footer = {
            "",
            "\"tenon server\" runs a server: see \"tenon server --help\"; \"tenon restore\" makes a data folder from a backup."
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
                .setColorScheme(
                        Help.defaultColorScheme(Terminals.ofThisProcess().outAnsi()))
                .setParameterExceptionHandler(TenonCli::misused)
                .setExecutionExceptionHandler((failure, line, parsed) -> explain(failure, line));
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "Say what to do: id, lock, tx, cluster, bench, completion, man or help.");
    }

    private static int explain(Exception failure, CommandLine line) {
        boolean json = line.getParseResult().hasMatchedOption("--json");
        if (failure instanceof RefusedException refused) {
            ErrorPrinter.say(line, json, refused);
            return ExitCode.REFUSED.code();
        }
        if (failure instanceof UnreachableException) {
            ErrorPrinter.UNREACHABLE.say(line, json, String.valueOf(failure.getMessage()));
            return ExitCode.UNREACHABLE.code();
        }
        if (failure instanceof JacksonException) {
            ErrorPrinter.UNREACHABLE.say(
                    line,
                    json,
                    "What answers there is no Tenon server: its answer is not as the interface describes it.");
            return ExitCode.UNREACHABLE.code();
        }
        ErrorPrinter.FAILED.say(line, json, String.valueOf(failure));
        Lines err = new Lines(line.getErr());
        for (StackTraceElement frame : json ? new StackTraceElement[0] : failure.getStackTrace()) {
            err.println("    at " + frame);
        }
        err.flush();
        return ExitCode.REFUSED.code();
    }

    private static int misused(ParameterException misuse, String[] words) throws Exception {
        CommandLine line = misuse.getCommandLine();
        List<String> own = Arrays.asList(words);
        int command = own.indexOf("--");
        if ((command < 0 ? own : own.subList(0, command)).contains("--json")) {
            ErrorPrinter.USAGE.say(line, true, String.valueOf(misuse.getMessage()));
        } else {
            ErrorPrinter.USAGE.say(line, false, String.valueOf(misuse.getMessage()));
            CommandLine.UnmatchedArgumentException.printSuggestions(misuse, line.getErr());
            line.getErr().println("See: " + line.getCommandSpec().qualifiedName() + " --help");
            line.getErr().flush();
        }
        return ExitCode.USAGE.code();
    }
}
