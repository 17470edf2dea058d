package dev.tenon.id.standard;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/** Draws IDs on eight threads at once. */
final class Many {
    static final int THREADS = 8;

    private Many() {}

    /** What each thread drew, in its order. */
    static <T> List<List<T>> draw(int each, Supplier<T> ids) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            CountDownLatch start = new CountDownLatch(THREADS);
            Callable<List<T>> drawing = () -> {
                start.countDown();
                start.await();
                List<T> drawn = new ArrayList<>(each);
                for (int i = 0; i < each; i++) {
                    drawn.add(ids.get());
                }
                return drawn;
            };
            List<Future<List<T>>> futures = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                futures.add(threads.submit(drawing));
            }
            List<List<T>> all = new ArrayList<>();
            for (Future<List<T>> future : futures) {
                all.add(future.get());
            }
            return all;
        } finally {
            threads.shutdownNow();
        }
    }
}
