package dev.tenon.cli;

import dev.tenon.TimeSource;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tenon bench lock}. */
@Command(
        name = "lock",
        description = {
            "Measures how fast a server grants and releases locks: a call here is both.",
            "With fewer locks than clients, the result includes the waiting."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class BenchLockCommand implements Callable<Integer> {
    private static final Duration TTL = Duration.ofMinutes(10);

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Mixin
    private BenchOptions bench = new BenchOptions();

    @Parameters(
            paramLabel = "NAME",
            arity = "0..1",
            defaultValue = "tenon-bench",
            description = "Prefix of the lock names; a number is appended (default: tenon-bench).")
    private String name = "tenon-bench";

    @Option(
            names = "--locks",
            paramLabel = "N",
            defaultValue = "0",
            description = "How many locks (default: one per client).")
    private int locks;

    @Override
    public Integer call() throws InterruptedException {
        if (locks < 0 || locks > bench.clients()) {
            throw new ParameterException(spec.commandLine(), "--locks must be between 1 and the number of clients.");
        }
        ServerClient client = server.client();
        int names = locks == 0 ? bench.clients() : locks;
        BenchResult result = bench.measured(number -> {
            LockHold hold = new LockHold(client, TimeSource.system(), name + "-" + number % names, TTL, Map.of());
            hold.open();
            return new Holder(hold);
        });
        if (!server.printed(result.json("lock", name))) {
            result.print(server.out(), "locks");
        }
        return ExitCode.OK.code();
    }

    /** Takes a lock and gives it back. */
    private record Holder(LockHold hold) implements BenchRun.Caller {
        @Override
        public long call() {
            hold.acquire(Optional.empty());
            hold.release();
            return 1;
        }

        @Override
        public void close() {
            hold.close();
        }
    }
}
