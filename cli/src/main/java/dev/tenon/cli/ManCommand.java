package dev.tenon.cli;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tenon man}. */
@Command(
        name = "man",
        description = {
            "Prints the manual page of a command, for man: tenon man lock run | man -l -",
            "The same pages are files, tenon.1, tenon-lock-run.1 and so on, in the folder man of a release."
        },
        mixinStandardHelpOptions = true)
final class ManCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(arity = "0..*", paramLabel = "COMMAND", description = "Such as lock run (default: tenon itself).")
    private List<String> words = List.of();

    @Override
    public Integer call() {
        String page = String.join("-", words);
        CommandLine line = spec.commandLine();
        if (!words.stream().allMatch(word -> word.matches("[a-z-]+")) || !Manual.has(page)) {
            throw new ParameterException(line, "Unknown command \"" + String.join(" ", words) + "\".");
        }
        line.getOut().print(Manual.included(Manual.page(page)));
        line.getOut().flush();
        return ExitCode.OK.code();
    }
}
