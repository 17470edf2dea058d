package dev.tenon.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tenon outbox}. */
@Command(
        name = "outbox",
        description = "Shows messages that services send from their databases, and ends what can't be sent.",
        mixinStandardHelpOptions = true,
        subcommands = {
            OutboxLsCommand.class,
            OutboxLanesCommand.class,
            OutboxBlockedCommand.class,
            OutboxDeadCommand.class,
            OutboxShowCommand.class,
            OutboxReplayCommand.class,
            OutboxDiscardCommand.class
        })
final class OutboxCommands implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "Say what to do: ls, lanes, blocked, dead, show, replay or discard.");
    }
}
