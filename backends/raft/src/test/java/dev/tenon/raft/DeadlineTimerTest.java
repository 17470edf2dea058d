package dev.tenon.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.ManualClock;
import dev.tenon.lock.spi.SessionSpec;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeadlineTimerTest {
    private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");
    private static final Duration TTL = Duration.ofHours(1);

    private final ManualClock time = new ManualClock(NOW);
    private final LogClock clock = LogClock.ofOneNode(time, NOW);
    private final Replica replica = new Replica();
    private final DeadlineTimer timer = new DeadlineTimer(replica);
    private final FailingLog log = new FailingLog();

    @AfterEach
    void close() {
        timer.close();
    }

    @Test
    void nothingIsSentWhileNothingIsDue() {
        timer.start(clock, log);
        timer.runOnce();
        openSession();
        timer.arm();
        time.advance(TTL.minusNanos(1_000));
        timer.runOnce();
        assertThat(log.sent).isEmpty();
    }

    @Test
    void oneEntryIsSentWhenSomethingIsDue() {
        openSession();
        timer.start(clock, log);
        time.advance(TTL);
        timer.runOnce();
        assertThat(log.sent).hasSize(1);
        assertThat(log.sent.get(0)).isEqualTo(new LockCommand.AdvanceTime());
    }

    @Test
    void itIsSentAgainWhenItWasLost() {
        openSession();
        timer.start(clock, log);
        time.advance(TTL);
        timer.runOnce();
        await().untilAsserted(() -> assertThat(log.sent).hasSizeGreaterThan(1));
    }

    @Test
    void beforeItIsStartedItSaysNothing() {
        openSession();
        time.advance(TTL);
        timer.arm();
        timer.runOnce();
        assertThat(log.sent).isEmpty();
    }

    private void openSession() {
        replica.apply(
                1,
                ByteBuffer.wrap(EntryCodecTest.encode(
                        NOW, List.of(new LockCommand.OpenSession(new SessionSpec("s", "o", TTL))))));
    }

    private static final class FailingLog implements CommandLog {
        private final List<Command<?>> sent = new CopyOnWriteArrayList<>();

        @Override
        public <R> CompletableFuture<R> submit(Command<R> command) {
            sent.add(command);
            return CompletableFuture.failedFuture(new BackendUnavailableException("always"));
        }
    }
}
