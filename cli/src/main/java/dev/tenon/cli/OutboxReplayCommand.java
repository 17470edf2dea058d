package dev.tenon.cli;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tenon outbox replay}. */
@Command(
        name = "replay",
        description = "Retries dead letters, with all their attempts, and then the messages behind them.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class OutboxReplayCommand implements Callable<Integer> {
    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "NUMBER", arity = "0..*", description = "The dead letters.")
    private List<Long> numbers = List.of();

    @Option(names = "--all", description = "All dead letters of the outbox that match the options below.")
    private boolean all;

    @Mixin
    private OutboxName outbox = new OutboxName();

    @Mixin
    private OutboxFilter filter = new OutboxFilter();

    @Option(
            names = "--reason",
            paramLabel = "TEXT",
            defaultValue = "",
            description = "The reason, for the history and the audit log.")
    private String reason = "";

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        DeadLetterAct act = new DeadLetterAct(server, "replay", reason);
        act.require(spec, numbers, all, filter);
        return all ? act.onAll(outbox, filter) : act.on(numbers);
    }
}
