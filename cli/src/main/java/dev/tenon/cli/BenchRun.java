package dev.tenon.cli;

import dev.tenon.DaemonThreads;
import dev.tenon.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;
import org.HdrHistogram.ConcurrentHistogram;

/** Several clients that call a server for a while, each on a thread of its own, one call after the other. */
final class BenchRun {
    private static final long LONGEST_MICROS = TimeUnit.MINUTES.toMicros(10);
    private static final int DIGITS = 3;
    private static final Duration PAUSE = Duration.ofMillis(100);

    private final TimeSource time;
    private final Duration length;
    private final ConcurrentHistogram micros = new ConcurrentHistogram(LONGEST_MICROS, DIGITS);
    private final LongAdder units = new LongAdder();
    private final LongAdder failed = new LongAdder();

    BenchRun(TimeSource time, Duration length) {
        this.time = time;
        this.length = length;
    }

    /** One client. Used by one thread at a time. */
    interface Caller extends AutoCloseable {
        /**
         * One call.
         *
         * @return how many things it got
         */
        long call();

        @Override
        void close();
    }

    /**
     * Measures. The first call of each client is made before, and is not counted.
     *
     * @param callers makes a client, by its number
     */
    BenchResult measured(int clients, IntFunction<Caller> callers, Progress progress) throws InterruptedException {
        List<Caller> all = new ArrayList<>();
        try {
            for (int i = 0; i < clients; i++) {
                Caller caller = callers.apply(i);
                all.add(caller);
                caller.call(); // a server that is not there, or refuses, is said as every command says it
            }
            CountDownLatch done = new CountDownLatch(clients);
            long startNanos = time.nanoTime();
            for (Caller caller : all) {
                DaemonThreads.of("tenon-bench", () -> callUntilTheEnd(caller, startNanos, done))
                        .start();
            }
            while (!done.await(1, TimeUnit.SECONDS)) {
                long seconds =
                        Math.min(length.toSeconds(), TimeUnit.NANOSECONDS.toSeconds(time.nanoTime() - startNanos));
                progress.show("%d of %d s, %,d calls".formatted(seconds, length.toSeconds(), micros.getTotalCount()));
            }
            Duration took = Duration.ofNanos(time.nanoTime() - startNanos);
            return new BenchResult(clients, took, units.sum(), failed.sum(), micros);
        } finally {
            all.forEach(Caller::close);
        }
    }

    private void callUntilTheEnd(Caller caller, long startNanos, CountDownLatch done) {
        try {
            while (time.nanoTime() - startNanos < length.toNanos()) {
                long sentNanos = time.nanoTime();
                try {
                    units.add(caller.call());
                    long took = TimeUnit.NANOSECONDS.toMicros(time.nanoTime() - sentNanos);
                    micros.recordValue(Math.min(took, LONGEST_MICROS));
                } catch (RefusedException | UnreachableException e) {
                    failed.increment();
                    time.park(PAUSE); // what fails at once would be counted a thousandfold
                }
            }
        } finally {
            done.countDown();
        }
    }
}
