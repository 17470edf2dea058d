package dev.tenon.testkit;

import java.time.Duration;
import java.util.Arrays;

/**
 * Counts round trips by time: through a proxy that delays each way, an action takes as many delays as it crosses the line.
 * Exact on any machine as long as the delay is much longer than the work itself.
 */
public final class RoundTrips {
    private RoundTrips() {}

    /** What is measured; it may throw. */
    @FunctionalInterface
    public interface Action {
        /** Does it once. */
        void run() throws Exception;
    }

    /**
     * Runs the action some times with the delay set on the proxy, and lifts the delay in the end.
     *
     * @param proxy the way that the action's traffic takes
     * @param oneWay the delay to set each way; 10 ms or more
     * @param times how often to run it; the median counts
     * @param action what to measure
     * @return the action's median time divided by twice the delay
     * @throws IllegalArgumentException if the delay or the number of times is not positive
     * @throws Exception what the action throws
     */
    public static double measure(FaultProxy proxy, Duration oneWay, int times, Action action) throws Exception {
        if (times < 1 || oneWay.isZero() || oneWay.isNegative()) {
            throw new IllegalArgumentException("needs a positive delay and at least one run");
        }
        long[] nanos = new long[times];
        proxy.delay(oneWay);
        try {
            for (int i = 0; i < times; i++) {
                long start = System.nanoTime();
                action.run();
                nanos[i] = System.nanoTime() - start;
            }
        } finally {
            proxy.delay(Duration.ZERO);
        }
        return median(nanos) / (2.0 * oneWay.toNanos());
    }

    private static long median(long[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }
}
