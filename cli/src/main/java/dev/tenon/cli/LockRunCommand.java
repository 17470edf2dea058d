package dev.tenon.cli;

import dev.tenon.DaemonThreads;
import dev.tenon.TimeSource;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tenon lock run}. */
@Command(
        name = "run",
        description = {
            "Runs CMD while holding a lock.",
            "CMD has the fencing token in TENON_FENCING_TOKEN and the name in TENON_LOCK_NAME. It is stopped "
                    + "(SIGTERM, then "
                    + "SIGKILL), and with it what it has started, when the lease is lost, before another client "
                    + "can acquire the lock. SIGTERM, SIGINT and SIGHUP are passed on to it.",
            "It does not inherit TENON_API_KEY or other credentials of Tenon, unless --pass-credentials says so."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        customSynopsis =
                "tenon lock run NAME [--wait=D] [--lease=D] [--mode=M | --shared | --permits=N --of=MAX] [--pass-credentials] [--server=URL] -- CMD …",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "of CMD:if it ran to its end (128 + N if signal N ended it)",
            "1:refused by the server",
            "2:wrong usage",
            "3:server unreachable",
            "4:lock not acquired in time",
            "5:lease lost, CMD stopped",
            "126:CMD can't be executed",
            "127:CMD not found"
        })
final class LockRunCommand implements Callable<Integer> {
    private static final Duration LEASE_MIN = Duration.ofSeconds(1);
    private static final Duration LEASE_MAX = Duration.ofDays(1);
    private static final Duration GRACE_MAX = Duration.ofSeconds(3);
    private static final Duration SAFETY = Duration.ofMillis(100);
    /** EACCES, as JDK 17 and JDK 25 have it in the message. */
    private static final Pattern NOT_PERMITTED = Pattern.compile("error(=|: )13\\b");

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(index = "0", paramLabel = "NAME", description = "The lock.")
    private String name = "";

    @Parameters(index = "1..*", arity = "1..*", paramLabel = "CMD", description = "The command and its arguments.")
    private List<String> command = List.of();

    @Option(
            names = "--wait",
            paramLabel = "D",
            converter = Durations.class,
            description = "How long to wait for the lock: 5s, 2m, PT5S (default: for ever); 0s: not at all.")
    private @Nullable Duration wait;

    @Option(
            names = "--lease",
            paramLabel = "D",
            defaultValue = "10s",
            converter = Durations.class,
            description = "How long the lock stays held if this process dies (default: 10s).")
    private Duration lease = Duration.ofSeconds(10);

    @Option(
            names = "--mode",
            paramLabel = "M",
            defaultValue = "exclusive",
            completionCandidates = Choices.Modes.class,
            description = "exclusive (default); shared: beside other shared ones; update: one beside shared ones.")
    private String mode = "exclusive";

    @Option(names = "--shared", description = "As --mode=shared.")
    private boolean shared;

    @Option(names = "--permits", paramLabel = "N", description = "N permits of a semaphore, instead of a mode.")
    private @Nullable Integer permits;

    @Option(names = "--of", paramLabel = "MAX", description = "How many permits the semaphore has.")
    private @Nullable Integer max;

    @Option(
            names = "--pass-credentials",
            description =
                    "CMD inherits TENON_API_KEY and other credentials of Tenon, as it needs to call tenon itself.")
    private boolean passCredentials;

    @Override
    public Integer call() throws InterruptedException {
        if (lease.compareTo(LEASE_MIN) < 0 || lease.compareTo(LEASE_MAX) > 0) {
            throw new ParameterException(spec.commandLine(), "--lease must be between 1s and 1d.");
        }
        LockHold hold = new LockHold(server.client(), TimeSource.system(), name, lease, mode());
        hold.open();
        // Ended while it waits, by a signal: gives up its place instead of leaving it to time.
        Thread giveUp = new Thread(hold::close, "tenon-give-up");
        Runtime.getRuntime().addShutdownHook(giveUp);
        ScheduledExecutorService keeper =
                Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("tenon-keep-alive"));
        try (hold) {
            long period = hold.period().toNanos();
            keeper.scheduleWithFixedDelay(hold::runOnce, period, period, TimeUnit.NANOSECONDS);
            Optional<Long> token = acquired(hold);
            if (token.isEmpty()) {
                return notAcquired();
            }
            return run(hold, token.get());
        } finally {
            keeper.shutdownNow();
        }
    }

    private Optional<Long> acquired(LockHold hold) {
        boolean seen = Terminals.ofThisProcess().err() && !server.json();
        try (Progress progress = new Progress(spec.commandLine().getErr(), seen)) {
            progress.show("waiting for " + name + " (who has it: tenon lock who " + name + ")");
            return hold.acquire(Optional.ofNullable(wait));
        }
    }

    private Map<String, Object> mode() {
        if (shared) {
            if (permits != null || max != null || !mode.equals("exclusive")) {
                throw new ParameterException(spec.commandLine(), "--shared goes without --mode, --permits and --of.");
            }
            return Map.of("mode", "shared");
        }
        if (permits != null && max != null && mode.equals("exclusive")) {
            return Map.of("mode", "permits", "permits", permits, "max", max);
        }
        if (permits != null || max != null) {
            throw new ParameterException(spec.commandLine(), "--permits and --of go together, and without --mode.");
        }
        if (!List.of("exclusive", "shared", "update").contains(mode)) {
            throw new ParameterException(spec.commandLine(), "--mode must be exclusive, shared or update.");
        }
        return Map.of("mode", mode);
    }

    private int notAcquired() {
        ErrorPrinter.NOT_ACQUIRED.say(
                spec.commandLine(),
                server.json(),
                name + " was not acquired within " + wait + "; see: tenon lock who " + name);
        return ExitCode.NOT_ACQUIRED.code();
    }

    private int run(LockHold hold, long token) throws InterruptedException {
        SignalRelay relay = new SignalRelay();
        Signals.to(relay::signal);
        Child child;
        try {
            child = Child.start(
                    command,
                    Map.of("TENON_FENCING_TOKEN", String.valueOf(token), "TENON_LOCK_NAME", name),
                    passCredentials);
            relay.to(child);
        } catch (IOException e) {
            ErrorPrinter.NOT_STARTED.say(spec.commandLine(), server.json(), String.valueOf(e.getMessage()));
            boolean notPermitted =
                    NOT_PERMITTED.matcher(String.valueOf(e.getMessage())).find();
            return (notPermitted ? ExitCode.NOT_EXECUTABLE : ExitCode.NOT_FOUND).code();
        }
        hold.revokeAsked()
                .thenAccept(by -> ErrorPrinter.ASKED_BACK.say(
                        spec.commandLine(), server.json(), by + " asks for " + name + " back"));
        CompletableFuture<Integer> exit = child.exit();
        CompletableFuture<Object> end = CompletableFuture.anyOf(exit, hold.lost());
        Duration grace = lease.dividedBy(4).compareTo(GRACE_MAX) < 0 ? lease.dividedBy(4) : GRACE_MAX;
        while (!end.isDone()) {
            Duration calm = hold.left().minus(grace).minus(SAFETY);
            if (calm.isNegative() || calm.isZero()) {
                return stop(child, grace, "the server was not reached for almost the whole lease of " + lease);
            }
            try {
                end.get(calm.toNanos(), TimeUnit.NANOSECONDS);
            } catch (TimeoutException e) {
                // Kept alive meanwhile, or not: looked at above.
            } catch (ExecutionException e) {
                throw new IllegalStateException(e);
            }
        }
        if (exit.isDone()) {
            return exit.join();
        }
        return stop(child, grace, hold.lost().join());
    }

    private int stop(Child child, Duration grace, String why) throws InterruptedException {
        ErrorPrinter.LEASE_LOST.say(
                spec.commandLine(), server.json(), "the lease of " + name + " is lost, stopping the command: " + why);
        child.stop(grace);
        return ExitCode.LEASE_LOST.code();
    }
}
