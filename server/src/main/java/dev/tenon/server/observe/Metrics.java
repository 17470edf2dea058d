package dev.tenon.server.observe;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * What one node counts and measures, for Prometheus; {@code docs/server/operations.md} has every name. Requests come in
 * as to any {@link Observer}, the rest by the methods here. Thread-safe; nothing blocks but {@link #scrape}.
 */
public final class Metrics implements Observer, AutoCloseable {
    /** How many ID names are counted each by itself; those that come later are counted together. */
    static final int NAMES_MAX = 100;

    /** What the rest of the names is counted as. No ID has it as its name, as it is not one. */
    static final String OTHER = "/other";

    private static final Duration[] BUCKETS = {
        Duration.ofNanos(250_000),
        Duration.ofMillis(1),
        Duration.ofNanos(2_500_000),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(25),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(250),
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        Duration.ofMillis(2_500),
        Duration.ofSeconds(5),
        Duration.ofSeconds(10),
        Duration.ofSeconds(30)
    };

    private static final String OPEN_METRICS = "application/openmetrics-text";
    private static final String OPEN_METRICS_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    private static final String TEXT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final JvmGcMetrics collector = new JvmGcMetrics();
    private final AtomicInteger inFlight = new AtomicInteger();
    private final Map<Measured, Timer> timers = new ConcurrentHashMap<>();
    private final Map<Counted, Counter> counters = new ConcurrentHashMap<>();
    private final Map<String, Boolean> names = new ConcurrentHashMap<>();
    private volatile Runnable beforeScrape = () -> {};
    private volatile Map<String, Long> byName = Map.of();

    private record Measured(String metric, String tag, String value, String outcome) {}

    private record Counted(String metric, String kind, String event) {}

    /** A fresh registry, with what the JVM tells of itself. */
    public Metrics() {
        transactionCalls("action", "done"); // so that it is there from the start
        Gauge.builder("tenon.requests.in.flight", inFlight, AtomicInteger::get)
                .description("Requests that are being answered, those that wait for a lock included")
                .register(registry);
        collector.bindTo(registry);
        List.of(
                        new JvmMemoryMetrics(),
                        new JvmThreadMetrics(),
                        new ProcessorMetrics(),
                        new UptimeMetrics(),
                        new FileDescriptorMetrics())
                .forEach(binder -> binder.bindTo(registry));
    }

    @Override
    public Observation begin(String operation, String name, Function<String, Optional<String>> header) {
        inFlight.incrementAndGet();
        long began = System.nanoTime();
        return (status, caller) -> {
            inFlight.decrementAndGet();
            timer(
                            "Requests, from their first byte to their answer",
                            new Measured("tenon.requests", "operation", operation, String.valueOf(status)))
                    .record(System.nanoTime() - began, TimeUnit.NANOSECONDS);
        };
    }

    @Override
    public void stored(String call, String outcome, Duration took) {
        timer("Calls of the store under the server", new Measured("tenon.store.calls", "call", call, outcome))
                .record(took);
    }

    /** A participant of a transaction was called. */
    public void called(String operation, String outcome, Duration took) {
        transactionCalls(operation, outcome).record(took);
    }

    private Timer transactionCalls(String operation, String outcome) {
        return timer(
                "Calls of participants of transactions",
                new Measured("tenon.transaction.calls", "operation", operation, outcome));
    }

    private Timer timer(String description, Measured measured) {
        Timer known = timers.get(measured);
        return known != null
                ? known
                : timers.computeIfAbsent(
                        measured,
                        m -> Timer.builder(m.metric())
                                .description(description)
                                .tag(m.tag(), m.value())
                                .tag(m.metric().equals("tenon.requests") ? "status" : "outcome", m.outcome())
                                .serviceLevelObjectives(BUCKETS)
                                .register(registry));
    }

    /** Something happened, {@code times} times. */
    public void count(String metric, String description, String event, long times) {
        counters.computeIfAbsent(
                        new Counted(metric, "", event),
                        c -> Counter.builder(metric)
                                .description(description)
                                .tag("event", event)
                                .register(registry))
                .increment(times);
    }

    /** Something happened to one of a kind, {@code times} times. */
    public void count(String metric, String description, String kind, String event, long times) {
        counters.computeIfAbsent(
                        new Counted(metric, kind, event),
                        c -> Counter.builder(metric)
                                .description(description)
                                .tag("kind", kind)
                                .tag("event", event)
                                .register(registry))
                .increment(times);
    }

    /** A number that goes up and down; NaN where it is not known. */
    public void gauge(String metric, String description, Supplier<Number> value) {
        Gauge.builder(metric, value).description(description).register(registry);
    }

    /** A number that goes up. */
    void counter(String metric, String description, LongSupplier value) {
        FunctionCounter.builder(metric, this, metrics -> value.getAsLong())
                .description(description)
                .register(registry);
    }

    /**
     * A number that goes up for each name; of many names, the later ones are counted together. At most one such metric.
     */
    void perName(String metric, String description, Supplier<Map<String, Long>> source) {
        beforeScrape = () -> {
            Map<String, Long> now = source.get();
            for (String name : now.keySet()) {
                if (names.size() < NAMES_MAX && names.putIfAbsent(name, true) == null) {
                    nameCounter(metric, description, name, m -> m.byName.getOrDefault(name, 0L));
                }
            }
            byName = now;
        };
        nameCounter(metric, description, OTHER, Metrics::others);
    }

    /** Shows how much of a resource there is, how much there may be, and how often that was not enough. */
    void quota(String resource, LongSupplier used, LongSupplier limit, LongSupplier refusals) {
        Gauge.builder("tenon.quota.used", used, LongSupplier::getAsLong)
                .description("How much of a resource is taken")
                .tag("quota", resource)
                .strongReference(true)
                .register(registry);
        Gauge.builder("tenon.quota.limit", limit, LongSupplier::getAsLong)
                .description("How much of it may be taken; more is refused")
                .tag("quota", resource)
                .strongReference(true)
                .register(registry);
        FunctionCounter.builder("tenon.quota.refusals", this, metrics -> refusals.getAsLong())
                .description("Requests that were refused, as they or their key would have taken more")
                .tag("quota", resource)
                .register(registry);
    }

    private void nameCounter(String metric, String description, String name, ToDoubleFunction<Metrics> value) {
        FunctionCounter.builder(metric, this, value)
                .description(description)
                .tag("name", name)
                .register(registry);
    }

    private double others() {
        return byName.entrySet().stream()
                .filter(e -> !names.containsKey(e.getKey()))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /**
     * Everything, as text.
     *
     * @param type the type of that text
     */
    public record Scraped(String type, String text) {}

    /**
     * Everything, in OpenMetrics' text format if {@code accept} asks for it, else in that of Prometheus. May block.
     *
     * @param accept the header {@code Accept}
     */
    public Scraped scrape(@Nullable String accept) {
        beforeScrape.run();
        String type = accept != null && accept.contains(OPEN_METRICS) ? OPEN_METRICS_TYPE : TEXT_TYPE;
        return new Scraped(type, registry.scrape(type));
    }

    @Override
    public void close() {
        collector.close();
        registry.close();
    }
}
