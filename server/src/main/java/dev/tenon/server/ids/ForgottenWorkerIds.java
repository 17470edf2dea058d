package dev.tenon.server.ids;

import dev.tenon.TimeSource;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Worker IDs that the store had forgotten, as far as this server was told, and names that wait because it may have
 * forgotten some. Thread-safe; never blocks.
 */
public final class ForgottenWorkerIds {
    private static final Logger LOG = LoggerFactory.getLogger(ForgottenWorkerIds.class);

    /** For so long it is shown that a store had forgotten. */
    static final Duration SHOWN = Duration.ofHours(1);

    /** Groups beyond that are counted, and not shown: who may claim may make up names. */
    private static final int SHOWN_MAX = 100;

    private final TimeSource time;
    private final LongAdder total = new LongAdder();
    private final Map<String, Until> told = new ConcurrentHashMap<>();
    private final Map<String, Until> waiting = new ConcurrentHashMap<>();

    private record Until(String what, long nanos) {}

    ForgottenWorkerIds(TimeSource time) {
        this.time = time;
    }

    /** The store had forgotten a worker ID of this name, and was told of it again. */
    public void told(String name, String message) {
        total.increment();
        LOG.warn("{}. Check what else the store has lost", message);
        note(told, name, message, SHOWN);
    }

    /** No worker ID of this name is given for so long, as the store may have forgotten who holds them. */
    void waits(String name, Duration left) {
        note(waiting, name, "", left);
    }

    private void note(Map<String, Until> notes, String name, String message, Duration left) {
        long now = time.nanoTime();
        notes.values().removeIf(until -> until.nanos() - now <= 0);
        if (notes.size() < SHOWN_MAX || notes.containsKey(name)) {
            notes.put(name, new Until(message, now + left.toNanos()));
        }
    }

    /** How many the store had forgotten since this server started. */
    public long total() {
        return total.sum();
    }

    /** What was told within the last hour, by name. */
    public Map<String, String> lately() {
        return shown(told, Until::what);
    }

    /** For how long each name gets no worker ID yet, as far as it was tried. */
    public Map<String, String> waiting() {
        long now = time.nanoTime();
        return shown(
                waiting,
                until -> Duration.ofMillis((until.nanos() - now) / 1_000_000).toString());
    }

    private Map<String, String> shown(Map<String, Until> notes, Function<Until, String> text) {
        long now = time.nanoTime();
        Map<String, String> shown = new TreeMap<>();
        notes.forEach((name, until) -> {
            if (until.nanos() - now > 0) {
                shown.put(name, text.apply(until));
            }
        });
        return shown;
    }
}
