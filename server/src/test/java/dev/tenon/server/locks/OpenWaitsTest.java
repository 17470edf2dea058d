package dev.tenon.server.locks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.TimeSource;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.memory.MemoryBackend;
import dev.tenon.server.locks.AcquireAnswer.SessionGone;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Which requests are under way. */
class OpenWaitsTest {
    private static final int REQUESTS = 20_000;
    private static final Duration LONG = Duration.ofMinutes(1);

    /** The end of its session may come at any step of its beginning. */
    @Test
    void aRequestThatEndsAsItBeginsIsNotUnderWay() throws InterruptedException {
        OpenWaits waits = new OpenWaits();
        ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
        AtomicBoolean over = new AtomicBoolean();
        Thread ends = new Thread(() -> {
            while (!over.get()) {
                waits.ofSession("s").forEach(wait -> wait.end(new SessionGone()));
            }
        });
        try (MemoryBackend memory = MemoryBackend.create()) {
            LockWait.Means means = new LockWait.Means(memory.lockStore(), scheduler, TimeSource.system());
            ends.start();
            for (int i = 0; i < REQUESTS; i++) {
                Acquire request = new Acquire("lock", "s", "r" + i, "s", Optional.of(LONG), LONG);
                LockWait wait = new LockWait(request, false, means, waits::leave);
                waits.enter(wait);
                wait.end(new SessionGone());
                wait.done().join();
                assertThat(waits.of("lock", "r" + i)).isEmpty();
            }
            over.set(true);
            ends.join();
            assertThat(waits.ofSession("s")).isEmpty();
        } finally {
            over.set(true);
            scheduler.shutdownNow();
        }
    }
}
