package dev.tenon.benchmarks;

import dev.tenon.benchmarks.LockContender.Hold;
import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.RoundTrips;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

/** How often a contender crosses the line, counted by time through a proxy that delays: exact on any machine. */
final class LockRoundTrips {
    private static final Duration ONE_WAY = Duration.ofMillis(25);
    private static final Duration QUEUE_TIME = ONE_WAY.multipliedBy(12);
    private static final String NAME = "round-trips";

    private final FaultProxy proxy;
    private final int times;

    /**
     * Through this proxy.
     *
     * @param times how often to count; the median is taken
     */
    LockRoundTrips(FaultProxy proxy, int times) {
        this.proxy = proxy;
        this.times = times;
    }

    /**
     * What one contender needs.
     *
     * @param title of the contender
     * @param acquire of a free lock
     * @param release of a lock that nobody waits for
     * @param handOver from the holder's release until the waiter, in another process, has the lock
     */
    record Count(String title, double acquire, double release, double handOver) {}

    /** Counts; the two are the same library, connected through the proxy as two processes would be. */
    Count count(LockContender one, LockContender other) throws Exception {
        one.acquire(NAME).release();
        other.acquire(NAME).release();
        AtomicReference<Hold> held = new AtomicReference<>(() -> {});
        List<Double> acquires = new ArrayList<>();
        List<Double> releases = new ArrayList<>();
        List<Double> handOvers = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            acquires.add(RoundTrips.measure(proxy, ONE_WAY, 1, () -> held.set(one.acquire(NAME))));
            releases.add(RoundTrips.measure(
                    proxy, ONE_WAY, 1, () -> Objects.requireNonNull(held.get()).release()));
            handOvers.add(handOver(one, other));
        }
        return new Count(one.title(), median(acquires), median(releases), median(handOvers));
    }

    private double handOver(LockContender holder, LockContender waiter) throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            Hold first = holder.acquire(NAME);
            proxy.delay(ONE_WAY);
            Future<Long> handedAt = thread.submit(() -> {
                Hold second = waiter.acquire(NAME);
                long now = System.nanoTime();
                proxy.delay(Duration.ZERO);
                second.release();
                return now;
            });
            letItQueue(handedAt);
            long start = System.nanoTime();
            first.release();
            return (handedAt.get() - start) / (2.0 * ONE_WAY.toNanos());
        } finally {
            proxy.delay(Duration.ZERO);
            thread.shutdown();
        }
    }

    /** Long enough for every contender to have asked, subscribed and asked again. */
    private static void letItQueue(Future<Long> handedAt) throws InterruptedException, ExecutionException {
        try {
            handedAt.get(QUEUE_TIME.toNanos(), TimeUnit.NANOSECONDS);
            throw new IllegalStateException("The lock was held, and was granted");
        } catch (TimeoutException stillWaits) {
            return;
        }
    }

    private static double median(List<Double> values) {
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
