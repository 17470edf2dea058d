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
        description = "Sends dead letters again, with all their attempts, and those behind them after them.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class OutboxReplayCommand implements Callable<Integer> {
    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "NUMBER", arity = "0..*", description = "The dead letters.")
    private List<Long> numbers = List.of();

    @Option(names = "--all", description = "All dead letters of the outbox that the options below mean.")
    private boolean all;

    @Mixin
    private OutboxName outbox = new OutboxName();

    @Mixin
    private OutboxFilter filter = new OutboxFilter();

    @Option(
            names = "--reason",
            paramLabel = "TEXT",
            defaultValue = "",
            description = "Why; it stands in the history and in the audit log.")
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
