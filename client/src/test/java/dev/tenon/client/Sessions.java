package dev.tenon.client;

import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.testkit.RecordedEvents;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Short words for what tests do with a lock store by hand. */
final class Sessions {
    private static final Duration LONG = Duration.ofMinutes(5);

    private Sessions() {}

    /** Opens one, and returns its ID. */
    static String open(LockStore store) {
        String id = UUID.randomUUID().toString();
        join(store.open(new SessionSpec(id, "test", LONG), new RecordedEvents()));
        return id;
    }

    static Acquire wish(String name, String session, Duration wait) {
        return new Acquire(name, session, UUID.randomUUID().toString(), "test", Optional.of(LONG), wait);
    }

    static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
    }
}
