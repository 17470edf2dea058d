package dev.tenon.cli;

import dev.tenon.TimeSource;
import java.time.Duration;
import java.util.function.IntFunction;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What every measurement takes. */
final class BenchOptions {
    private static final int CLIENTS_MAX = 1_000;
    private static final Duration TIME_MAX = Duration.ofHours(1);

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = {"-c", "--clients"},
            paramLabel = "N",
            defaultValue = "8",
            description = "Concurrent clients (default: 8, up to 1000).")
    private int clients = 8;

    @Option(
            names = {"-t", "--time"},
            paramLabel = "D",
            defaultValue = "5s",
            converter = Durations.class,
            description = "For how long (default: 5s, up to 1h).")
    private Duration time = Duration.ofSeconds(5);

    int clients() {
        return clients;
    }

    /** Measures, and says how far it is where a person sees it. */
    BenchResult measured(IntFunction<BenchRun.Caller> callers) throws InterruptedException {
        if (clients < 1 || clients > CLIENTS_MAX) {
            throw new ParameterException(spec.commandLine(), "--clients must be between 1 and " + CLIENTS_MAX + ".");
        }
        if (time.isZero() || time.compareTo(TIME_MAX) > 0) {
            throw new ParameterException(spec.commandLine(), "--time must be more than 0s and at most 1h.");
        }
        BenchRun run = new BenchRun(TimeSource.system(), time);
        try (Progress progress = new Progress(
                spec.commandLine().getErr(), Terminals.ofThisProcess().err())) {
            return run.measured(clients, callers, progress);
        }
    }
}
