package dev.tenon.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;

/**
 * Acquire-and-release pairs a second, or transactions. The contenders take turns, one short run each, round after
 * round, so that whatever else the machine does falls on all of them; the order rotates. The median of a contender's
 * rounds counts.
 */
final class LockPairs {
    private static final String NAME = "benchmark";

    private final List<? extends Contender> contenders;
    private final Duration runTime;
    private final IntFunction<String> nameOfThread;

    private LockPairs(List<? extends Contender> contenders, Duration runTime, IntFunction<String> nameOfThread) {
        this.contenders = contenders;
        this.runTime = runTime;
        this.nameOfThread = nameOfThread;
    }

    /** All threads want the same lock. */
    static LockPairs onOneName(List<? extends Contender> contenders, Duration runTime) {
        return new LockPairs(contenders, runTime, thread -> NAME);
    }

    /** Each thread wants a lock that no other does. */
    static LockPairs onOwnNames(List<? extends Contender> contenders, Duration runTime) {
        return new LockPairs(contenders, runTime, thread -> NAME + "-" + thread);
    }

    /**
     * What one contender did.
     *
     * @param title of the contender
     * @param perSecond pairs a second, all threads together, the median of the rounds
     * @param median of the time from asking for the lock to having released it
     * @param tail the same, 99 % are faster
     */
    record Score(String title, double perSecond, Duration median, Duration tail) {}

    /** Has every contender work for a while, as busily as it will be. */
    void warmUp(int threads, Duration each) throws InterruptedException {
        for (Contender contender : contenders) {
            new LockPairs(contenders, each, nameOfThread).once(contender, threads);
        }
    }

    /**
     * Runs all contenders, after two rounds that do not count: who comes first would else be measured while it is
     * compiled.
     */
    List<Score> run(int threads, int rounds) throws InterruptedException {
        List<List<Run>> runs = new ArrayList<>();
        contenders.forEach(contender -> runs.add(new ArrayList<>()));
        for (int round = -2; round < rounds; round++) {
            for (int turn = 0; turn < contenders.size(); turn++) {
                int who = Math.floorMod(turn + round, contenders.size());
                Run run = once(contenders.get(who), threads);
                if (round >= 0) {
                    runs.get(who).add(run);
                }
            }
        }
        List<Score> scores = new ArrayList<>();
        for (int who = 0; who < runs.size(); who++) {
            scores.add(score(contenders.get(who).title(), runs.get(who)));
        }
        return scores;
    }

    /** The times of all pairs of one run, in nanoseconds, and how long it took. */
    private record Run(long[] pairNanos, long tookNanos) {
        double perSecond() {
            return pairNanos.length * 1e9 / tookNanos;
        }
    }

    private Run once(Contender contender, int threads) throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            long start = System.nanoTime();
            long end = start + runTime.toNanos();
            List<Callable<long[]>> workers = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                String name = nameOfThread.apply(i);
                workers.add(() -> pairsUntil(end, contender, name));
            }
            List<long[]> times = new ArrayList<>();
            for (Future<long[]> worker : pool.invokeAll(workers)) {
                times.add(worker.get());
            }
            long took = System.nanoTime() - start;
            return new Run(times.stream().flatMapToLong(Arrays::stream).toArray(), took);
        } catch (ExecutionException e) {
            throw new IllegalStateException(contender.title() + " failed", e.getCause());
        } finally {
            pool.shutdownNow();
        }
    }

    private static long[] pairsUntil(long end, Contender contender, String name) throws Exception {
        long[] times = new long[1024];
        int count = 0;
        do {
            if (count == times.length) {
                times = Arrays.copyOf(times, 2 * count);
            }
            times[count++] = contender.once(name);
        } while (System.nanoTime() - end < 0);
        return Arrays.copyOf(times, count);
    }

    private static Score score(String title, List<Run> runs) {
        double[] perSecond = runs.stream().mapToDouble(Run::perSecond).sorted().toArray();
        long[] all = runs.stream()
                .flatMapToLong(run -> Arrays.stream(run.pairNanos()))
                .sorted()
                .toArray();
        return new Score(
                title,
                perSecond[perSecond.length / 2],
                Duration.ofNanos(all[all.length / 2]),
                Duration.ofNanos(all[(int) (all.length * 0.99)]));
    }
}
