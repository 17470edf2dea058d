package dev.tenon.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tenon completion}. */
@Command(
        name = "completion",
        description = {
            "Prints the script that completes commands and options in a shell.",
            "Bash: source <(tenon completion bash). Zsh: source <(tenon completion zsh), after compinit."
        },
        mixinStandardHelpOptions = true)
final class CompletionCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "SHELL", completionCandidates = Choices.Shells.class, description = "bash or zsh.")
    private String shell = "";

    @Override
    public Integer call() {
        if (!shell.equals("bash") && !shell.equals("zsh")) {
            throw new ParameterException(spec.commandLine(), "The shell must be bash or zsh, not \"" + shell + "\".");
        }
        // One script for both: in zsh, it switches on zsh's own emulation of bash's completion.
        spec.commandLine().getOut().print(Manual.included(Manual.COMPLETION));
        spec.commandLine().getOut().flush();
        return ExitCode.OK.code();
    }
}
