package dev.tenon.id.builder;

import dev.tenon.BackendUnavailableException;
import dev.tenon.DaemonThreads;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TimeSource;
import dev.tenon.id.spi.BuilderConfig;
import dev.tenon.id.spi.BuilderConfigStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * Fetches the first segment of each code that the table has at the start of an instance; on a thread that ends with
 * that.
 */
final class FirstSegments {
    private static final Duration PAUSE_MIN = Duration.ofMillis(20);
    private static final Duration PAUSE_MAX = Duration.ofSeconds(1);

    private final BuilderConfigStore store;
    private final Function<BuilderConfig, Optional<BuilderCode>> open;
    private final CountDownLatch ended;
    private final TimeSource time = TimeSource.system();
    private final CompletableFuture<List<BuilderCode>> codes = new CompletableFuture<>();

    /**
     * @param open gives the code of a row; empty once the instance is closed
     * @param ended counted down when the instance is closed
     */
    FirstSegments(BuilderConfigStore store, Function<BuilderConfig, Optional<BuilderCode>> open, CountDownLatch ended) {
        this.store = store;
        this.open = open;
        this.ended = ended;
    }

    /** Begins, and waits until all is there or the first attempt has failed, so long at most. Never throws. */
    void fetch(Duration atMost) {
        long end = time.nanoTime() + atMost.toNanos();
        DaemonThreads.of("tenon-id-builder", this::runAlways).start();
        try {
            for (BuilderCode code : codes.get(atMost.toNanos(), TimeUnit.NANOSECONDS)) {
                code.prefetch(Duration.ofNanos(Math.max(0, end - time.nanoTime())));
            }
        } catch (TimeoutException | ExecutionException e) {
            // It goes on in the background; a call says what is wrong.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void runAlways() {
        Duration pause = PAUSE_MIN;
        try {
            while (!runOnce() && !ended.await(pause.toNanos(), TimeUnit.NANOSECONDS)) {
                pause = pause.compareTo(PAUSE_MAX) < 0 ? pause.multipliedBy(2) : PAUSE_MAX;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** One pass. False: the store is away, and it is worth another one. */
    private boolean runOnce() {
        try {
            List<BuilderCode> opened = new ArrayList<>();
            for (BuilderConfig config : store.configs()) {
                open.apply(config).ifPresent(code -> {
                    code.prefetch(Duration.ZERO);
                    opened.add(code);
                });
            }
            codes.complete(opened);
            return true;
        } catch (BackendUnavailableException | OutcomeUnknownException e) {
            codes.completeExceptionally(e);
            return false;
        } catch (RuntimeException | Error e) { // such as a table that may not be read: calls say so
            codes.completeExceptionally(e);
            return true;
        }
    }
}
