package dev.tenon.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.lock.Lease;
import dev.tenon.lock.Locks;
import dev.tenon.lock.spi.StoreEvents;
import dev.tenon.testkit.Punctual;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests and cancellations that overtake each other at random, some of them sent twice. */
class LockStragglersTest {
    private static final int ROUNDS = 200;
    private static final Duration WAIT = Duration.ofSeconds(25);

    private final MemoryBackend backend = MemoryBackend.create();
    private final LossyLockStore store = new LossyLockStore(backend.lockStore());
    private final Locks locks = Locks.over(store);
    private final Locks others = backend.locks();

    @AfterEach
    void close() {
        locks.close();
        backend.close();
    }

    @Test
    void anAttemptThatHasEndedHasNothingInTheStoreHoweverItEnded() throws Exception {
        locks.lock("any").tryAcquire().orElseThrow().close();
        for (int seed = 0; seed < ROUNDS; seed++) {
            Random random = new Random(seed);
            store.line = () -> random.nextBoolean()
                    ? CompletableFuture.completedFuture(null)
                    : CompletableFuture.runAsync(() -> {}, after(random.nextInt(4_000)));
            int round = seed;
            Punctual.judge(Duration.ofSeconds(1), () -> others.inspect("any"), () -> attempt(round, random));
        }
    }

    private void attempt(int round, Random random) throws Exception {
        String name = "x-" + UUID.randomUUID();
        Lease held = others.lock(name).acquire(WAIT);
        Duration wait = Duration.ofNanos(1 + random.nextInt(10_000_000));
        CompletableFuture<Optional<Lease>> end = new CompletableFuture<>();
        Thread attempt = new Thread(() -> end.complete(attempted(name, wait)));
        attempt.start();
        StoreEvents events = Objects.requireNonNull(store.events);
        for (int repeats = random.nextInt(4); repeats > 0; repeats--) {
            after(random.nextInt(12_000)).execute(events::resync);
        }
        if (random.nextInt(4) == 0) {
            after(random.nextInt(10_000)).execute(attempt::interrupt);
        }
        CompletableFuture<Void> free = CompletableFuture.runAsync(held::close, after(random.nextInt(20_000)));
        end.get(WAIT.toSeconds(), TimeUnit.SECONDS).ifPresent(Lease::close);
        free.join();
        assertThat(others.inspect(name)).as("round %s", round).isEmpty();
    }

    private Optional<Lease> attempted(String name, Duration wait) {
        try {
            return locks.lock(name).tryAcquire(wait);
        } catch (InterruptedException e) {
            return Optional.empty();
        }
    }

    private static Executor after(int micros) {
        return CompletableFuture.delayedExecutor(micros, TimeUnit.MICROSECONDS);
    }
}
