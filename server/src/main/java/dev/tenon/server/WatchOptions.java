package dev.tenon.server;

import dev.tenon.server.observe.LogFormat;
import dev.tenon.server.observe.RequestLog;
import dev.tenon.server.observe.Tracing;
import io.opentelemetry.api.GlobalOpenTelemetry;
import java.time.Duration;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** What the server tells of itself, and how it leaves. */
final class WatchOptions {
    private static final Duration STOP_DELAY_MAX = Duration.ofHours(1);

    @Spec(Target.MIXEE)
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--log-format",
            paramLabel = "FORMAT",
            defaultValue = "text",
            description = "Format of the log (stderr): text (default) or json.")
    private LogFormat logFormat = LogFormat.TEXT;

    @Option(names = "--request-log", description = "Log each request.")
    private boolean requestLog;

    @Option(
            names = "--slow-op",
            paramLabel = "DURATION",
            defaultValue = "PT0.5S",
            description = "Log operations and store calls that take at least this long (default: PT0.5S).")
    private Duration slowOp = Duration.ofMillis(500);

    @Option(
            names = "--stop-delay",
            paramLabel = "DURATION",
            defaultValue = "PT0S",
            description = "When asked to stop, keep serving for this long while /readyz reports it (default: PT0S).")
    private Duration stopDelay = Duration.ZERO;

    /** The same, observed as the options say. The log looks as they say from now on. */
    NodeOptions observed(NodeOptions options) {
        if (slowOp.isNegative() || slowOp.isZero()) {
            throw new ParameterException(spec.commandLine(), "--slow-op must be more than PT0S, such as PT0.5S.");
        }
        stopDelay();
        logFormat.apply();
        return options.observedBy(
                new Tracing(GlobalOpenTelemetry.get(), options.observer().and(new RequestLog(requestLog, slowOp))));
    }

    /** For how long it serves after it was told to stop. */
    Duration stopDelay() {
        if (stopDelay.isNegative() || stopDelay.compareTo(STOP_DELAY_MAX) > 0) {
            throw new ParameterException(
                    spec.commandLine(), "--stop-delay must be between PT0S and " + STOP_DELAY_MAX + ".");
        }
        return stopDelay;
    }
}
