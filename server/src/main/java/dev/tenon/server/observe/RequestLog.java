package dev.tenon.server.observe;

import dev.tenon.Names;
import dev.tenon.Printable;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Logs requests: every one if that is wanted, and those that took long. How long an acquire takes, or a
 * stream of events, is its caller's will, so it counts as slow only by the calls of the store that it makes, which are
 * logged too. Thread-safe.
 */
public final class RequestLog implements Observer {
    private static final Logger LOG = LoggerFactory.getLogger(RequestLog.class);
    /** Acquires over HTTP, and streams of gRPC. */
    private static final List<String> LAST_AS_LONG_AS_WANTED = List.of("/acquire", "/Events");

    private final boolean every;
    private final Duration slow;

    /**
     * @param every whether each request is logged
     * @param slow what takes as long, or longer, is logged
     */
    public RequestLog(boolean every, Duration slow) {
        this.every = every;
        this.slow = slow;
    }

    @Override
    public Observation begin(String operation, String name, Function<String, Optional<String>> header) {
        long began = System.nanoTime();
        return (status, caller) -> {
            Duration took = Duration.ofNanos(System.nanoTime() - began);
            boolean late =
                    took.compareTo(slow) >= 0 && LAST_AS_LONG_AS_WANTED.stream().noneMatch(operation::endsWith);
            if (late || every) {
                LoggingEventBuilder line = LOG.atLevel(late ? Level.WARN : Level.INFO)
                        .addKeyValue("operation", operation)
                        .addKeyValue("name", Printable.of(name, Names.LENGTH_MAX))
                        .addKeyValue("status", status)
                        .addKeyValue("seconds", took.toNanos() / 1e9)
                        .addKeyValue("caller", caller);
                line.log(late ? "Slow operation" : "Request");
            }
        };
    }

    @Override
    public void stored(String call, String outcome, Duration took) {
        if (took.compareTo(slow) >= 0) {
            LOG.atWarn()
                    .addKeyValue("operation", call)
                    .addKeyValue("outcome", outcome)
                    .addKeyValue("seconds", took.toNanos() / 1e9)
                    .log("Slow store");
        }
    }
}
