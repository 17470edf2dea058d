package dev.tenon.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs the same work on several threads that start together. */
final class Concurrently {
    private static final long PATIENCE_SECONDS = 600;

    private Concurrently() {}

    /** Work of one thread. */
    @FunctionalInterface
    interface Work<T> {
        T run(int thread) throws Exception;
    }

    /** The results, by thread; an error of any thread fails the test. */
    static <T> List<T> on(int threads, Work<T> work) {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        CyclicBarrier start = new CyclicBarrier(threads);
        try {
            List<Future<T>> futures = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int thread = i;
                futures.add(pool.submit(() -> {
                    start.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
                    return work.run(thread);
                }));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> future : futures) {
                results.add(future.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
            }
            return results;
        } catch (ExecutionException e) {
            throw new AssertionError("A thread failed: " + e.getCause(), e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("A thread took longer than " + PATIENCE_SECONDS + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("Interrupted", e);
        } finally {
            pool.shutdownNow();
        }
    }
}
